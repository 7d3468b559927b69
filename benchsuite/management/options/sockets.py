"""The options of `runbench` that speak of WebSockets, and what they mean for the load."""

from typing import Any

from benchsuite.core.exceptions import UsageError
from benchsuite.core.samples import REQUEST
from benchsuite.core.specs import MAX_USERS, Option
from benchsuite.core.specs.spec import whole
from benchsuite.management.options.parsing import COUNT, COUNTS
from benchsuite.workloads.base import Workload

MOST_MESSAGES = 1_000_000_000


def add_to(group: Any) -> None:
    """Adds both options."""
    group.add_argument(
        "--connections",
        **COUNTS,
        help="WebSockets or streams open at once, for the workloads ws_… and sse: what --users is "
        "for the others; several make an axis",
    )
    group.add_argument(
        "--messages",
        **COUNT,
        help="messages on each connection, which is then closed and opened again (default: a "
        "connection is kept for the whole load)",
    )


def in_users(options: dict[str, Any], work: type[Workload]) -> dict[str, Any]:
    """The options with connections in the words of the load; raises UsageError."""
    connections = options["connections"]
    if connections is None:
        return options
    if work.unit == REQUEST:
        raise UsageError(
            f"--connections counts WebSockets or streams, and the figures of {work.name} are of "
            "requests: say how many --users, or choose a workload ws_… or sse (see listbench)."
        )
    flag, name = ("max-in-flight", "max_in_flight") if options["rate"] else ("users", "users")
    said = _plain(connections)
    if options["stages"] is not None:
        raise UsageError("--stages names the levels, and --connections too: leave one out.")
    if options[name] is not None:
        raise UsageError(
            f"--connections={said} and --{flag}={_plain(options[name])} mean the same here: leave "
            "one of them out."
        )
    for one in connections:
        whole("connections", one, 1, MAX_USERS)
    if name == "users":
        return {**options, name: connections}
    if len(connections) > 1:
        raise UsageError(
            f"--connections={said} makes an axis, which --rate has not: give one number, the most "
            "connections in use at once."
        )
    return {**options, name: connections[0]}


def _plain(given: int | list[int]) -> str:
    return ",".join(str(one) for one in (given if isinstance(given, list) else [given]))


def with_messages(
    settings: dict[str, Option], options: dict[str, Any], work: type[Workload]
) -> dict[str, Option]:
    """The workload's options with --messages among them; raises UsageError."""
    messages = options["messages"]
    if messages is None:
        return settings
    if "messages" not in work.options:
        raise UsageError(f"--messages belongs to ws_echo, and the workload is {work.name}.")
    if "messages" in settings:
        raise UsageError("--messages and --workload-option messages=… are both given.")
    whole("messages", messages, 1, MOST_MESSAGES)
    return {**settings, "messages": messages}
