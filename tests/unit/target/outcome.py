"""What an ASGI application says next, or raises, as soon as it does."""

import asyncio
from typing import Any

from asgiref.testing import ApplicationCommunicator


async def outcome(client: ApplicationCommunicator, timeout_s: float) -> dict[str, Any]:
    """Its next message; raises what it raised. The communicator alone would wait for the timeout
    before it tells that."""
    message = asyncio.create_task(client.output_queue.get())
    either = {message, client.future}
    await asyncio.wait(either, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
    if message.done():
        return message.result()
    message.cancel()
    client.future.result()
    raise AssertionError("The application ended and said nothing.")
