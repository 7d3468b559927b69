"""An instance behind a front: says who it is and how many connections it has accepted."""

import hashlib
import http.server
import json
import os
import sys
import time

BIG = b"0123456789abcdef" * 196_608  # 3 MiB


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True
    accepted = 0

    def process_request(self, request: object, client_address: object) -> None:
        type(self).accepted += 1
        super().process_request(request, client_address)  # type: ignore[arg-type]


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path == "/big/":
            self._answer(BIG)
        elif self.path == "/headers/":
            fields = {name.lower(): value for name, value in self.headers.items()}
            self._answer(json.dumps(fields).encode())
        elif self.path == "/slow/":
            time.sleep(1.0)
            self._answer(b"slow")
        else:
            self._answer(b"ok")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(hashlib.sha256(body).hexdigest().encode())

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("X-Benchsuite-Run", os.environ["BENCHSUITE_RUN"])
        self.send_header("X-Instance", sys.argv[1])
        self.send_header("X-Accepted", str(Server.accepted))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: 600 requests are 600 lines."""


Server(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()
