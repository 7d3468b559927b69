"""The WebSocket half of a user's client."""
