"""What a cell of a study may say of a run, and the run that it is."""

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.management.options import run as run_options
from benchsuite.runner.planning import resolve
from benchsuite.studies.options import Takes


def test_each_option_of_a_run_is_known_with_what_it_takes() -> None:
    known = run_options.known()
    assert known["users"] is Takes.VALUE
    assert known["no-fsync"] is known["keep-alive"] is known["no-keep-alive"] is Takes.FLAG
    assert known["option"] is known["workload-option"] is known["front-option"] is Takes.PAIRS
    assert known["fixture"] is known["header"] is known["server"] is Takes.SEVERAL
    assert not {"repeat", "seed", "label", "again", "dry-run", "help", "json"} & set(known)


def test_arguments_are_one_run() -> None:
    spec = run_options.of_cell(
        ["--server=waitress", "--users=3", "--workload=io_read", "--drain=2s"]
    )
    assert (spec.server.server, spec.load.users, spec.load.drain_s) == ("waitress", 3, 2.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--user=3"], r"unrecognized arguments: --user=3; did you mean --users\?"),
        (["--users=many"], "'many' is not a whole number"),
        (["--users=2,4"], "are 2 runs, and a cell of a study is one"),
        (["--users=0"], "--users must be between 1 and 10000"),
        (["--server=wait"], "no server 'wait'; did you mean waitress"),
    ],
)
def test_what_is_no_run(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        resolve(run_options.of_cell(arguments))
