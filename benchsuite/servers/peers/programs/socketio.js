// Socket.IO: the name of an event says what is to be done with it.
'use strict';

const { Server } = require('socket.io');
const { MOST_BYTES, listen, token } = require('./listening.js');

listen((server) => {
  const io = new Server(server, {
    transports: ['websocket'],
    serveClient: false,
    maxHttpBufferSize: MOST_BYTES,
  });
  io.engine.on('headers', (headers) => {
    headers['X-Benchsuite-Run'] = token;
  });
  io.on('connection', (socket) => {
    socket.on('echo', (text) => socket.emit('echo', text));
    socket.on('broadcast', (text) => io.emit('broadcast', text));
    socket.on('idle', () => {});
  });
});
