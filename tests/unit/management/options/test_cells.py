"""What studies may say of cells, and the run that comes of it."""

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.management.options import cells
from benchsuite.studies.options import Takes


def test_options_are_known_with_what_they_take() -> None:
    known = cells.known()
    assert known["users"] is Takes.VALUE
    assert known["no-keep-alive"] is known["keep-alive"] is known["no-fsync"] is Takes.FLAG
    assert known["option"] is known["workload-option"] is known["cookie"] is Takes.PAIRS
    assert known["server"] is known["fill"] is known["header"] is known["env"] is Takes.SEVERAL
    assert not {"repeat", "seed", "label", "again", "dry-run", "help", "port"} & set(known)


def test_arguments_are_read_as_runbench_reads_them() -> None:
    spec = cells.spec(["--server=gunicorn-sync", "--users=3", "--option=timeout_s=9"])
    assert (spec.server.server, spec.load.users) == ("gunicorn-sync", 3)
    assert spec.server.options == {"timeout_s": "9"}


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("--users=many", "Argument --users: 'many' is not a whole number"),
        ("--usrs=3", "Unrecognized arguments: --usrs=3."),
        ("--user=3", "Unrecognized arguments: --user=3."),
        ("--users=3,4", "A cell is one run, and --users=3,4 asks for 2; make an axis"),
    ],
)
def test_what_is_no_cell_is_refused(argument: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        cells.spec([argument])
