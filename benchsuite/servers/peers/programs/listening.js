// What both servers have in common: an HTTP server that says which run it belongs to.
'use strict';

const http = require('http');

exports.token = process.env.BENCHSUITE_RUN || '';
exports.MOST_BYTES = 16 * 1024 * 1024;

exports.listen = function (prepare) {
  const [host, port, backlog] = process.argv.slice(2);
  const server = http.createServer((request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/plain', 'X-Benchsuite-Run': exports.token });
    response.end('OK');
  });
  prepare(server);
  server.listen({ host, port: Number(port), backlog: Number(backlog) });
  process.on('SIGTERM', () => process.exit(0));
};
