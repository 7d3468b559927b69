"""WebSocket servers outside Django for comparison: each serves a small program of its own."""

PEERS: dict[str, str] = {
    "peer-ws": "benchsuite.servers.peers.node.Ws",
    "peer-socketio": "benchsuite.servers.peers.node.SocketIo",
    "peer-actioncable": "benchsuite.servers.peers.actioncable.ActionCable",
}
