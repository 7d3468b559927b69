"""Which delayer a run uses, and why: pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs.delay import DELAYERS, NETEM, PROXY
from benchsuite.core.specs.spec import known
from benchsuite.servers.base import Available


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A delayer, and the reason in words."""

    by: str
    reason: str


def choose(
    asked: str,
    *,
    netem: Available,
    cut_off: Sequence[str],
    may_reach_more: bool,
    to_layer: bool = False,
) -> Method:
    """`netem` is the result of `netem.available()`; `cut_off` names what the project could not
    reach from a private network (`reach.cut_off`); `may_reach_more` says that it may need more than
    is known, like every project but benchsuite's own; `to_layer`, that the channel layer is to be
    delayed, which a proxy alone can.

    Raises UnavailableError when netem is requested and not available, UsageError when it would cut
    the project off.
    """
    if asked == PROXY:
        return Method(by=PROXY, reason="it was asked for")
    if to_layer and asked == NETEM:
        raise UsageError(
            "--delay-by=netem delays a database and clients, and --delay-to-layer needs a proxy; "
            "take --delay-by=proxy."
        )
    away = f"a private network would cut it off from {' and '.join(cut_off)}" if cut_off else ""
    if asked == NETEM:
        if not netem.ok:
            raise UnavailableError(
                f"--delay-by=netem can't delay here: {netem.reason}; {netem.command}, or take "
                "--delay-by=proxy."
            )
        if away:
            raise UsageError(
                f"--delay-by=netem is impossible, because {away}; take --delay-by=proxy."
            )
        return Method(by=NETEM, reason="it was asked for")
    known("delay-by", asked, DELAYERS)
    if to_layer:
        return Method(by=PROXY, reason="only a proxy delays a channel layer")
    if not netem.ok:
        return Method(by=PROXY, reason=f"no netem: {netem.reason}")
    if away:
        return Method(by=PROXY, reason=away)
    if may_reach_more:
        return Method(by=PROXY, reason="the project may need more than a private network reaches")
    return Method(by=NETEM, reason="the kernel has it, and reaches all that the project needs")
