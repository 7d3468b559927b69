"""The lean HTTP/1.1 client."""
