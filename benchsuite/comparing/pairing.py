"""Who is held against whom: pairs of sides from what was named."""

from collections.abc import Sequence

from benchsuite.comparing.cells import Cell
from benchsuite.comparing.contrasts import Pair
from benchsuite.comparing.named import Named, named, newest
from benchsuite.comparing.sides import Side
from benchsuite.comparing.titles import cell_titles
from benchsuite.core.exceptions import UsageError
from benchsuite.models import Run


def pairs(words: Sequence[str], baseline: str | None) -> tuple[list[Pair], list[str]]:
    """The pairs that these words ask for, and what has to be said about the choice.

    Without words it is the newest batch that is compared. The baseline is a word itself, or a
    server among what the words mean; without one it is what the first word means, or, when there
    is only one word, the first of its cells. Where it has one
    cell, every other cell is held against it; where it has several, each against the one of the
    same key (server, size, work, load). Raises UsageError when nothing can be paired.
    """
    asked = list(dict.fromkeys(words))
    if baseline is not None and baseline not in asked and asked:
        inside = _inside(named(asked), baseline)
        if inside is not None:
            return _paired(*inside)
    if baseline is not None:
        base, *others = named([baseline, *(word for word in asked if word != baseline)])
        return _paired(base, others or [newest(without=base)])
    first, *others = named(asked) if asked else [newest()]
    if not others:
        return _paired(*_apart(first))
    return _paired(first, others)


def _inside(found: Sequence[Named], server: str) -> tuple[Named, list[Named]] | None:
    """What was named, with the cells of one server apart; None when it isn't among them."""
    cells = [cell for one in found for cell in one.cells if cell.first.server == server]
    if not cells:
        return None
    others = [
        Named(one.word, [cell for cell in one.cells if cell.first.server != server], one.notes)
        for one in found
    ]
    return Named(server, cells), others


def _apart(one: Named) -> tuple[Named, list[Named]]:
    """The first cell that can be a baseline, and the others."""
    base = next((cell for cell in one.cells if cell.is_sound), one.cells[0])
    others = [cell for cell in one.cells if cell is not base]
    return Named(one.word, [base], one.notes), [Named(one.word, others)]


def _paired(base: Named, others: Sequence[Named]) -> tuple[list[Pair], list[str]]:
    cells = [*base.cells, *(cell for other in others for cell in other.cells)]
    sides = [Side(title, cell) for title, cell in zip(cell_titles(cells), cells, strict=True)]
    bases, candidates = sides[: len(base.cells)], sides[len(base.cells) :]
    said = [note for one in (base, *others) for note in one.notes]
    found: list[Pair] = []
    alone: list[Side] = []
    for candidate in candidates:
        if _same_runs(candidate.cell, bases):
            continue
        mine = [one for one in bases if one.cell.first.key == candidate.cell.first.key]
        if mine or len(bases) == 1:
            found.append(((mine or bases)[0], candidate))
        else:
            alone.append(candidate)
            said.append(f"{candidate.title} has no counterpart in {base.word} and is excluded.")
    if alone and not found:
        raise UsageError(
            f"{base.word} and {_words(others)} have nothing in common: nothing was measured in "
            "both with the same server, size, work and load. Measure both alike, or name one run "
            "of each by its id (with --force, if they are unlike)."
        )
    if not found:
        raise UsageError(
            f"There is nothing to hold against {base.word}: name another label, server, run or "
            "batch, or measure one more (runbench --server=A,B --repeat=5)."
        )
    for one in {id(pair[0]): pair[0] for pair in found}.values():
        if one.doubt:
            raise UsageError(
                f"{one.title} can't be the baseline: {one.doubt}. Choose another with --baseline."
            )
    paired = {id(pair[0]) for pair in found}
    said += [
        f"{one.title} has no counterpart in {_words(others)} and is excluded."
        for one in bases
        if id(one) not in paired
    ]
    return found, said


def _words(named_: Sequence[Named]) -> str:
    return " and ".join(one.word for one in named_)


def _same_runs(cell: Cell, sides: Sequence[Side]) -> bool:
    mine = {run.pk for run in cell.runs}
    return any(mine & {run.pk for run in side.cell.runs} for side in sides)


def runs(found: Sequence[Pair]) -> list[Run]:
    """All runs of some pairs, each once, those of baselines first."""
    sides = [pair[0] for pair in found] + [pair[1] for pair in found]
    return list({run.pk: run for side in sides for run in side.cell.runs}.values())
