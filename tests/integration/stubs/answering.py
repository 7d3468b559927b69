"""A tiny server for the stubs: answers 200 with the run's header."""

import http.server
import os
import time


def serve(port: int, *, header: bool = True, delay_s: float = 0.0) -> None:
    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            time.sleep(delay_s)
            self.send_response(200)
            if header:
                self.send_header("X-Benchsuite-Run", os.environ["BENCHSUITE_RUN"])
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"OK")

        def log_message(self, *_: object) -> None:
            """Nothing: the logs of the stubs are compared."""

    http.server.ThreadingHTTPServer(("127.0.0.1", port), Answer).serve_forever()
