"""Calls of a slow API, one by one or at once, each by its own client without 20 ms for TLS."""

import asyncio
import os
import ssl
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx

from benchsuite.target.gate import BadGateway, Refusal

URL = os.environ.get("BENCHSUITE_API_URL", "")
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
CLIENT: dict[str, Any] = {"timeout": 30.0, "verify": NO_TLS, "trust_env": False}


def answers(seconds: Sequence[float], *, at_once: bool) -> list[float]:
    """What the API says to each call; raises BadGateway."""
    with _failing(), httpx.Client(base_url=URL, **CLIENT) as client:

        def ask(call: float) -> float:
            return _read(client.get("/", params={"seconds": call}))

        if not at_once:
            return [ask(one) for one in seconds]
        with ThreadPoolExecutor(len(seconds)) as pool:
            return list(pool.map(ask, seconds))


async def answers_async(seconds: Sequence[float], *, at_once: bool) -> list[float]:
    """The same without threads."""
    with _failing():
        async with httpx.AsyncClient(base_url=URL, **CLIENT) as client:

            async def ask(call: float) -> float:
                return _read(await client.get("/", params={"seconds": call}))

            if not at_once:
                return [await ask(one) for one in seconds]
            return await asyncio.gather(*map(ask, seconds))


@contextmanager
def _failing() -> Iterator[None]:
    if not URL:
        raise Refusal("this run has no API, which must be a service of its workload")
    try:
        yield
    except httpx.HTTPError as error:
        raise BadGateway(f"{type(error).__name__}: {error}") from error


def _read(response: httpx.Response) -> float:
    return float(response.raise_for_status().json()["seconds"])
