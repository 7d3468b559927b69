"""What users of the load process speak with: HTTP and WebSockets over gevent."""
