"""WebSocket servers outside Django for comparison: each serves a small program of its own."""

PEERS: dict[str, str] = {
    "peer-ws": "benchsuite.servers.peers.adapters.Ws",
    "peer-socketio": "benchsuite.servers.peers.adapters.SocketIo",
    "peer-actioncable": "benchsuite.servers.peers.adapters.ActionCable",
}
