# Action Cable without the rest of Rails: one channel for each thing that may be done with a text.
# frozen_string_literal: true

require "logger"
require "active_support"
require "active_support/rails"
require "action_cable"

TOKEN = ENV.fetch("BENCHSUITE_RUN", "")

class BenchConnection < ActionCable::Connection::Base
end

class EchoChannel < ActionCable::Channel::Base
  def say(data)
    transmit({ text: data["text"] })
  end
end

class BroadcastChannel < ActionCable::Channel::Base
  def subscribed
    stream_from "bench"
  end

  def say(data)
    ActionCable.server.broadcast("bench", { text: data["text"] })
  end
end

class IdleChannel < ActionCable::Channel::Base
  def say(_data); end
end

# The handshake's answer says which run the server belongs to.
module TellsItsRun
  def start_driver
    @driver&.set_header("X-Benchsuite-Run", TOKEN) unless @driver_started
    super
  end
end
ActionCable::Connection::ClientSocket.prepend(TellsItsRun)

ActionCable.server.config.tap do |config|
  config.cable = { "adapter" => "async" }
  config.connection_class = -> { BenchConnection }
  config.disable_request_forgery_protection = true
  config.worker_pool_size = ENV.fetch("BENCHSUITE_THREADS", "4").to_i
  config.logger = Logger.new($stderr, level: Logger::WARN)
end

run(lambda do |env|
  next ActionCable.server.call(env) if env["PATH_INFO"] == "/cable"

  [200, { "Content-Type" => "text/plain", "X-Benchsuite-Run" => TOKEN }, ["OK"]]
end)
