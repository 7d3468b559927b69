"""What the docs show of a tuning of somebody's project, from the JSON of `tunebench`."""

from benchmarks.strangers.tuned import told
from benchsuite.core.plain import plain
from benchsuite.tuning.answer import answer
from tests.tuning_factories import searched

LIMIT = {"code": "L01 cpu", "says": "The CPUs are full.", "evidence": "99 %", "fix": "", "gain": ""}


def test_it_shows_those_that_raced_the_answer_and_what_limits_it() -> None:
    book = searched()
    found = answer(book)
    trials = [{"observation": plain(one.seen)} for one in book.entries]
    data = {"answer": plain(found), "question": plain(book.question), "trials": trials}
    words = ["--path=/", "--objective=p95 < 200ms"]
    text = told("shop: books", words, {**data, "limits": [LIMIT]})
    title, command, *rows = [one for one in text.splitlines() if one]
    assert title == "### shop: books"
    assert command == "    $ python manage.py tunebench --path=/ '--objective=p95 < 200ms'"
    names = [one.split("|")[1].strip() for one in rows if one.startswith("|")][2:]
    assert names[0] == found.pick.name
    assert set(names) == {one.candidate.name for one in found.rows if one.starts}
    assert " ".join(found.sentences) in text
    assert "Limit: The CPUs are full. 99 % (L01 cpu)" in text
    assert f"{len(book.entries)} starts in " in text
    assert f"; {len(found.rows) - len(names)} other configurations." in text
