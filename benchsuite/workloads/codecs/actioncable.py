"""Action Cable's `actioncable-v1-json`; see guides.rubyonrails.org/action_cable_overview.html.

Text only: every message is JSON.
"""

import json
from typing import Any

from benchsuite.exceptions import AnswerError
from benchsuite.workloads.codecs.base import DOES, Codec, Exchange, Message


class ActionCable(Codec):
    name = "actioncable"
    does_all = DOES
    subprotocol = "actioncable-v1-json"

    def __init__(self, does: str) -> None:
        super().__init__(does)
        self._identifier = json.dumps({"channel": f"{does.title()}Channel"})

    def opening(self, exchange: Exchange) -> None:
        self._expect("welcome", exchange)
        exchange.send(json.dumps({"command": "subscribe", "identifier": self._identifier}))
        self._expect("confirm_subscription", exchange)

    def wrap(self, payload: Message) -> Message:
        data = json.dumps({"action": "say", "text": payload})
        return json.dumps({"command": "message", "identifier": self._identifier, "data": data})

    def unwrap(self, message: Message) -> Message | None:
        found = _object(message)
        if found.get("type") == "ping":
            return None
        said = found.get("message")
        if found.get("identifier") == self._identifier and isinstance(said, dict):
            text = said.get("text")
            if isinstance(text, str):
                return text
        raise AnswerError(f"expected a message of Action Cable, and got {message[:60]!r}")

    def _expect(self, kind: str, exchange: Exchange) -> None:
        while (found := _object(exchange.receive())).get("type") == "ping":
            continue
        if found.get("type") != kind:
            raise AnswerError(f"expected Action Cable's {kind!r} at the opening, and got {found}")


def _object(message: Message) -> dict[str, Any]:
    try:
        found = json.loads(message)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise AnswerError(f"expected a JSON object of Action Cable, and got {message[:60]!r}")
    return found
