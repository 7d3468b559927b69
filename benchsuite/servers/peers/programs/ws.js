// WebSockets by `ws`: echo, broadcast and idle at the paths of benchsuite's consumers.
'use strict';

const { WebSocket, WebSocketServer } = require('ws');
const { MOST_BYTES, listen, token } = require('./listening.js');

const ROOT = '/bench/ws/';
const SUBPROTOCOL = 'benchsuite';
const rooms = { echo: new Set(), broadcast: new Set(), idle: new Set() };

const sockets = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  maxPayload: MOST_BYTES,
  handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
});
sockets.on('headers', (headers) => headers.push(`X-Benchsuite-Run: ${token}`));

function open(socket, does) {
  rooms[does].add(socket);
  socket.on('close', () => rooms[does].delete(socket));
  socket.on('error', () => {}); // it closes the connection with the right code by itself
  socket.on('message', (data, binary) => {
    if (does === 'echo') {
      socket.send(data, { binary });
    } else if (does === 'broadcast') {
      for (const other of rooms.broadcast) {
        if (other.readyState === WebSocket.OPEN) other.send(data, { binary });
      }
    }
  });
}

listen((server) => {
  server.on('upgrade', (request, connection, head) => {
    const path = request.url.split('?')[0];
    const does = path.startsWith(ROOT) && path.slice(ROOT.length, -1);
    if (!Object.hasOwn(rooms, does) || path !== `${ROOT}${does}/`) {
      connection.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, connection, head, (socket) => open(socket, does));
  });
});
