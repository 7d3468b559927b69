"""The golden files themselves: none is left over, none is renewed where nobody looks."""

from types import SimpleNamespace

import pytest

from tests import golden as goldens


def test_no_golden_file_is_unused():
    left = [str(path.relative_to(goldens.TESTS)) for path in goldens.unused()]
    assert not left, f"no test compares with them; git rm {' '.join(left)}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of golden files of its own, and beside it the tests that use them."""
    monkeypatch.setattr(goldens, "TESTS", tmp_path)
    monkeypatch.setattr(goldens, "FOLDER", tmp_path / "golden")
    (tmp_path / "golden" / "test_a").mkdir(parents=True)
    return tmp_path / "golden" / "test_a"


@pytest.mark.parametrize("name", ["test_gone.txt", "test_here.gone.txt", "test_other.txt"])
def test_an_unused_file_is_seen(name, folder, tmp_path):
    (tmp_path / "test_a.py").write_text(
        'def test_here(\n    golden\n):\n    golden("", "part")\n\n\ndef test_other():\n    pass\n'
    )
    for used in ("test_here.txt", "test_here.part.txt", name):
        (folder / used).touch()
    assert [path.name for path in goldens.unused()] == [name]


def options(**values):
    return SimpleNamespace(getoption=lambda name, default=None: values.get(name, default))


def golden_of(tmp_path, **values):
    node = SimpleNamespace(
        path=tmp_path / "test_a.py",
        originalname="test_here",
        nodeid="test_a.py::test_here[x]",
        module=SimpleNamespace(B=[2]),
    )
    return goldens.Golden(SimpleNamespace(node=node, config=options(**values)))


def test_golden_files_are_renewed_by_hand_only(monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    goldens.pytest_configure(options(renew=True))
    with pytest.raises(pytest.UsageError, match="in one process"):
        goldens.pytest_configure(options(renew=True, tx=["popen"]))
    monkeypatch.setenv("CI", "true")
    goldens.pytest_configure(options(renew=False))
    with pytest.raises(pytest.UsageError, match="refused in CI"):
        goldens.pytest_configure(options(renew=True))


def test_what_differs_is_shown_with_the_command_that_renews(folder, tmp_path):
    golden_of(tmp_path, renew=True)("first\nin 3.5 s\n", replace={r"\d+\.\d s": "<time>"})
    assert (folder / "test_here.txt").read_text() == "first\nin <time>\n"
    golden_of(tmp_path)("first\nin 7.1 s", replace={r"\d+\.\d s": "<time>"})
    with pytest.raises(pytest.fail.Exception) as failed:
        golden_of(tmp_path)("second\nin <time>")
    assert "-first\n+second\n in <time>" in str(failed.value)
    assert str(failed.value).endswith("make golden ARGS='test_a.py::test_here'")


@pytest.mark.parametrize(
    ("kind", "lines", "function"),
    [
        ("words", "# words\none 'two three'\n    one-two three\n", lambda *words: "-".join(words)),
        (
            "cases",
            "from math import pi\n1, b=B + [pi > 3]\n    [1, 2, True]\n",
            lambda a, b: [a, *b],
        ),
        (
            "values",
            "import math\nB\n    [2]\nC = [*B, 3]  # why\nmath.prod(\n    C\n)\n    6\n",
            repr,
        ),
    ],
)
def test_the_cases_of_a_file_are_run(folder, tmp_path, kind, lines, function):
    with pytest.raises(AssertionError, match="has no case"):
        getattr(golden_of(tmp_path), kind)(function)
    (folder / "test_here.txt").write_text(lines)
    getattr(golden_of(tmp_path), kind)(function)
    with pytest.raises(pytest.fail.Exception, match=r"\+    another"):
        getattr(golden_of(tmp_path), kind)(lambda *given, **named: "another")


def test_each_case_must_be_refused(folder, tmp_path):
    (folder / "test_here.txt").write_text("'x'\n    not 'x'\n")

    def refuse(word):
        if word == "x":
            raise ValueError(f"not {word!r}")

    golden_of(tmp_path).cases(refuse, refuses=ValueError)
    (folder / "test_here.txt").write_text("'x'\n    not 'x'\n'y'\n")
    with pytest.raises(AssertionError, match="'y' is not refused"):
        golden_of(tmp_path).cases(refuse, refuses=ValueError)


def test_a_case_may_end_in_an_error_that_is_expected(folder, tmp_path):
    (folder / "test_here.txt").write_text("int('x')\n")
    with pytest.raises(ValueError, match="invalid literal"):
        golden_of(tmp_path, renew=True).values()
    golden_of(tmp_path, renew=True).values(raises=ValueError)
    said = "    ValueError: invalid literal for int() with base 10: 'x'\n"
    assert (folder / "test_here.txt").read_text() == "int('x')\n" + said


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"b": 1, "a": {"z", "y"}}, "{'b': 1, 'a': {'y', 'z'}}"),
        ({"b", "a"}, "['a', 'b']"),
        ((0.1 + 0.2, 1 / 3e-9, 1234567.1234567891), "(0.3, 333333333.333, 1234567.123)"),
    ],
)
def test_a_result_is_told_the_same_each_time(folder, tmp_path, result, said):
    (folder / "test_here.txt").write_text("R\n")
    golden = golden_of(tmp_path, renew=True)
    golden._node.module.R = result
    golden.values()
    assert (folder / "test_here.txt").read_text() == f"R\n    {said}\n"


def test_a_second_text_needs_a_name(folder, tmp_path):
    golden = golden_of(tmp_path, renew=True)
    golden({"a": 1})
    golden("", "part")
    with pytest.raises(AssertionError, match="name it with `part`"):
        golden("again")
    assert (folder / "test_here.txt").read_text() == '{\n "a": 1\n}\n'
