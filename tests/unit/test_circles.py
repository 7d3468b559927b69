"""No module, and no room, imports itself by way of others, not even for types or in a function.

The layers of `[tool.importlinter]` hold this between rooms; here it is held inside of them, too.
"""

from graphlib import CycleError, TopologicalSorter

import pytest

from benchmarks.house import ROOT, graph, rooms


@pytest.fixture(scope="module")
def found():
    return graph(ROOT)


def test_no_circle_of_modules(found):
    assert len(found) > 200
    hold(found)


def test_no_circle_of_rooms(found):
    assert {"core", "runner", "models"} < rooms(found).keys()
    hold(rooms(found))


@pytest.mark.parametrize(
    "back",
    [
        "from room.one import A",
        "import room.one",
        "from room import one",
        "if TYPE_CHECKING:\n    from room.one import A",
        "def late() -> None:\n    from room.one import A",
    ],
)
def test_a_circle_is_found(back, tmp_path):
    room = tmp_path / "room"
    room.mkdir()
    (room / "__init__.py").touch()
    (room / "one.py").write_text("import os\nfrom room import two\n")
    (room / "two.py").write_text("")
    hold(graph(room))
    (room / "two.py").write_text(back)
    with pytest.raises(pytest.fail.Exception, match=r"room\.(one|two) → "):
        hold(graph(room))


def hold(found):
    try:
        TopologicalSorter(found).prepare()
    except CycleError as circle:
        pytest.fail(" → ".join(reversed(circle.args[1])))
