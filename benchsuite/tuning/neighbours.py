"""Sizes next to the best one where it lies at the edge of those that were tried."""

from collections.abc import Callable, Sequence

from benchsuite.tuning.trial import Candidate

Resize = Callable[[Candidate, int, int | None], Candidate | None]
"""The same server with so many processes and threads; None where it can't have them."""


def beyond(
    best: Candidate, tried: Sequence[Candidate], cpus: int, resize: Resize
) -> list[Candidate]:
    """More processes and fewer, more threads and fewer: where none of that server had them."""
    alike = [one for one in tried if (one.server, one.options) == (best.server, best.options)]
    processes = [one.processes for one in alike]
    sizes: list[tuple[int, int | None]] = []
    if best.processes == max(processes):
        sizes.append((best.processes + cpus, best.threads))
    if best.processes == min(processes):
        sizes.append((best.processes - 1, best.threads))
    if best.threads is not None:
        threads = [one.threads for one in alike if one.processes == best.processes]
        if best.threads == max(one for one in threads if one is not None):
            sizes.append((best.processes, 2 * best.threads))
        if best.threads == min(one for one in threads if one is not None):
            sizes.append((best.processes, best.threads // 2))
    found = [resize(best, *size) for size in sizes if 0 not in size]
    return [one for one in found if one is not None and one not in tried]
