"""Action Cable's actioncable-v1-json; see guides.rubyonrails.org/action_cable_overview.html.

A message goes to the action `say` of the channel that is named after what the server is to do with
it (EchoChannel). Text only: everything is JSON.
"""

import json
from collections.abc import Sequence
from typing import Any

from benchsuite.load.client.websocket.dialect import Heard
from benchsuite.load.client.websocket.dialects import wanted

WELCOME, CONFIRMED = "welcome", "confirm_subscription"


class ActionCable:
    subprotocols: Sequence[str] = ("actioncable-v1-json",)
    address = "/cable"

    def __init__(self, path: str) -> None:
        self._identifier = json.dumps({"channel": f"{wanted(path).title()}Channel"})
        self._awaited = WELCOME
        """The kind of message that comes next in the opening; empty once it is over."""

    def hear(self, frame: bytes) -> Heard:
        found = json.loads(frame)
        if not isinstance(found, dict):
            raise ValueError(f"expected an object of Action Cable, and got {frame[:60]!r}")
        if found.get("type") == "ping":
            return Heard()
        if self._awaited:
            return self._opening(found)
        said = found.get("message")
        text = said.get("text") if isinstance(said, dict) else None
        if found.get("identifier") != self._identifier or not isinstance(text, str):
            raise ValueError(f"expected a message of Action Cable, and got {frame[:60]!r}")
        return Heard(payload=text.encode())

    def say(self, payload: bytes) -> bytes:
        data = json.dumps({"action": "say", "text": payload.decode()})
        return self._command("message", data=data)

    def _opening(self, found: dict[str, Any]) -> Heard:
        if found.get("type") != self._awaited:
            raise ValueError(f"expected {self._awaited!r} of Action Cable, and got {found}")
        if self._awaited == WELCOME:
            self._awaited = CONFIRMED
            return Heard(answer=self._command("subscribe"))
        self._awaited = ""
        return Heard(ready=True)

    def _command(self, name: str, **more: str) -> bytes:
        return json.dumps({"command": name, "identifier": self._identifier, **more}).encode()
