"""A study's file, well and badly written."""

from pathlib import Path

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.studies import reading
from benchsuite.studies.study import Kind, Share
from tests.unit.studies.samples import KNOWN, TEXT, changed, study


def test_a_file_becomes_a_study() -> None:
    found = study()
    assert (found.name, found.question, found.repeat) == ("shop", "Which server?", 6)
    assert found.every["option"] == {"timeout_s": 30}
    assert found.every["keep-alive"] is False
    assert [axis.name for axis in found.axes] == ["setup", "route", "delay"]
    sync, asynchronous, _ = found.axis("setup").values
    assert (sync.kind, asynchronous.kind) == (Kind.TODAY, None)
    assert found.overrides[1].when == {"setup": ("pool",)}
    assert found.excluded == ({"setup": ("pool",), "route": ("cpu",)},)
    assert found.figures[1].options == {"length": "10s"}
    assert (found.figures[0].scope, found.figures[1].scope) == ("window", "load")
    assert found.scaling.least == {"duration": 7.0, "repeat": 2}
    assert found.published[0].names == {"setup": {"gunicorn": "sync"}}
    assert found.claims[0].needs == {"users": 300}
    assert study(changed(("repeat = 6", "repeat = 1"))).repeat == 1
    assert found.claims[0].checks[0].ratio == (0.4, 0.6)
    assert found.claims[0].checks[1].value == (None, 3)
    (answer,) = found.answers
    assert (answer.choice, answer.only) == (("setup",), {"route": ("read",)})
    assert found.text == TEXT


def test_a_value_is_like_another_but_for_what_it_says_itself() -> None:
    pool = study().axis("setup").values[2]
    assert pool.options == {
        "server": ("uvicorn",),
        "option": {"timeout_s": (), "loop": "uvloop"},
        "max-connections": (),
    }
    assert pool.kind is Kind.ADDED


def test_a_value_may_be_a_share_of_what_another_cell_reaches() -> None:
    share = 'users = 50\nrate = { share = 0.2, figure = "plateau", cell = { setup = "sync" } }'
    rate = study(changed(("users = 50\n", f"{share}\n"))).overrides[1].options["rate"]
    assert rate == Share(0.2, "plateau", {"setup": "sync"})


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("format = 1", "format = 2", "format: must be 1, the only format"),
        ("format = 1\n", "", "shop.toml: the key format is missing."),
        ('name = "shop"', 'name = "shep"', "name: must be what the file is called, 'shop'"),
        ("question =", "questoin =", "there is no key 'questoin'; did you mean question?"),
        ('question = "Which server?"', 'question = ""', "question: must be a text"),
        ("repeat = 6", "repeat = 0", "repeat: must be a whole number from 1 on, and is 0."),
        ("repeat = 6", "repeat = true", "repeat: must be a whole number from 1 on, and is True."),
        ("users = 500", "user = 500", "every.user: there is no option of runbench 'user'; did"),
        ("users = 500", "users = true", "every.users: must be a text or a number, and is True."),
        ("users = 500", "users = nan", "every.users: must be a number, and is nan."),
        ("users = 500", "users = [500]", "every.users: must be a text or a number"),
        ("users = 500", 'users = ""', "every.users: must be a text"),
        ("users = 500", "users = 2026-01-01", "every.users: must be a text or a number"),
        ("keep-alive = false", "keep-alive = 0", "every.keep-alive: must be true, or false"),
        ("keep-alive = false", "no-keep-alive = false", "no option of runbench 'no-no-keep-alive'"),
        ("option.timeout_s = 30", "option = 30", "every.option: must be a table of names and"),
        ("option.timeout_s = 30", "option.x.y = 1", "every.option.x: must be a text or a number"),
        ("shorter = [", "shortr = [", "scale: there is no key 'shortr'"),
        ('thin = { delay = ["200", "0", "100"] }', 'thin = { dealy = ["0"] }', "no axis 'dealy'"),
        ('["200", "0", "100"]', '["200", "0"]', "scale.thin.delay: must name all values"),
        ('["200", "0", "100"]', '["200", "0", "100", "0"]', "two are called '0'"),
        ('["200", "0", "100"]', '["200", "0", "1"]', "scale.thin.delay: there is no value '1'"),
        ("repeat = 2 }", "rows = 2 }", "scale.least: there is no scaled option or axis 'rows'"),
        ('kind = "today"', 'kind = "new"', "axis.setup.sync.kind: must be one of original, today"),
        ("max-connections = 100", "conns = 1", "axis.setup.async.conns: there is no option of"),
        ('like = "async"', 'like = "asinc"', "axis.setup.pool.like: there is no value 'asinc'"),
        ('like = "async"', 'like = "pool"', "axis.setup.pool.like: 'pool' is like itself."),
        ("cpu = {", '"c p u" = {', "axis.route.c p u: must be a name without blanks"),
        ("0 = {}", "0 = 1", "axis.delay.0: must be a table, and is 1."),
        ('when = { setup = "pool" }', 'when = { setup = "pol" }', "set[2].when.setup: there is no"),
        ('when = { setup = "pool" }', "when = { setup = 1 }", "set[2].when.setup: must be a list"),
        ('when = { setup = "pool" }', "", "set[2]: the key when is missing."),
        ('setup = ["pool"]', 'stup = ["pool"]', "exclude[1]: there is no axis 'stup'"),
        (
            'setup = ["pool"]\nroute = "cpu"',
            'route = ["cpu", "read"]',
            "exclude: no configuration is left.",
        ),
        ('of = "best_window"', 'off = "best_window"', "figures.best"),
        ('length = "10s"', "length = [10]", "figures.best.length: must be a number, and is [10]."),
        ('scope = "load"', 'scope = "all"', "figures.best.scope: must be one of window, load"),
        ('best = "most"', 'best = "more"', "objective.best: must be one of most, least"),
        ('figure = "plateau"\nbest', 'figure = "plato"\nbest', "objective.figure: there is no fig"),
        ('{ setup = "setup", delay', '{ stup = "setup", delay', "published[1]: there is no axis"),
        ("{ gunicorn = ", '{ b = "sink", gunicorn = ', "published[1].names.setup: there is no val"),
        ('{ plateau = "rps" }', '{ plato = "rps" }', "published[1].figures: there is no figure"),
        ('rows = "delay"', 'rows = "dely"', "table[1].rows: there is no axis 'dely'; did you mean"),
        ('["plateau", "best"]', '["plateau", "rest"]', "table[1].figures: there is no figure"),
        ('["plateau", "best"]', "[]", "table[1].figures: must be a list of at least one"),
        ('x = "delay"', 'x = "dely"', "chart[1].x: there is no axis or figure 'dely'"),
        ('y = "plateau"', 'y = "delay"', "chart[1].y: there is no figure 'delay'"),
        ('small = "route"', 'small = "root"', "chart[1]: there is no axis 'root'"),
        ("needs = { users = 300 }", 'needs = { users = "3" }', "claim[1].needs.users: must be a n"),
        ("needs = { users = 300 }", "needs = { usrs = 300 }", "claim[1].needs.usrs: there is no"),
        ("ratio = [0.4, 0.6]", "ratio = [0.6, 0.4]", "claim[1].check[1].ratio: must be a region"),
        ("ratio = [0.4, 0.6]", "ratio = [0.4]", "claim[1].check[1].ratio: must be a region"),
        ("ratio = [0.4, 0.6]", "ratio = [nan, 1]", "claim[1].check[1].ratio: must be a region"),
        ("ratio = [0.4, 0.6]", "", "needs one region of ratio, difference, value, and has 0."),
        ('to = { delay = "100" }', "", "check[1].ratio: needs the other configuration"),
        (
            "value = [-inf, 3]",
            'value = [0, 3]\nto = { delay = "0" }',
            "value: is of one configuration, and",
        ),
        ('to = { delay = "100" }', 'to = { delay = "200" }', "is held against itself"),
        ('to = { delay = "100" }', 'to = { setup = "pool" }', "setup=pool route=cpu delay=200 is"),
        (
            'cell = { setup = "sync" }',
            'cell = { setup = "pool", route = "cpu" }',
            "selects no configuration",
        ),
        ('choice = "setup"', 'choice = "stup"', "answer[1].choice: there is no axis 'stup'; did"),
        ('choice = "setup"', 'choice = ["setup", "setup"]', "answer[1].choice: two are called"),
        ('choice = "setup"', "choice = []", "answer[1].choice: must be a list of at least one"),
        ('choice = "setup"', 'chioce = "setup"', "answer[1]: there is no key 'chioce'; did you"),
        ('choice = "setup"', "", "answer[1]: the key choice is missing."),
        ('asks = "Which set-up reads most?"', 'asks = ""', "answer[1].asks: must be a text"),
        ('["read"] }', '["raed"] }', "answer[1].only.route: there is no value 'raed'; did you"),
        ('["read"] }', '"cpu", setup = "pool" }', "answer[1].only: selects no configuration."),
        ('["read"] }', '"read", setup = "sync" }', "answer[1].choice: setup has one value in"),
        ('choice = "setup"', 'choice = "setup"\nbest = "least"', "answer[1]: figure and best bel"),
        (
            'choice = "setup"',
            'choice = "setup"\nfigure = "beast"\nbest = "most"',
            "answer[1].figure: there is no figure 'beast'; did you mean best?",
        ),
        ('choice = "setup"', 'choice = "setup"\nneeds.usrs = 3', "answer[1].needs.usrs: there is"),
        (
            '[objective]\nfigure = "plateau"\nbest = "most"\n',
            "",
            "answer[1]: needs figure and best, as the study has no objective.",
        ),
        ("[[claim]]\nname", "[claim]\nname", "claim: must be a list of at least one, and is {"),
        ("format = 1", "format = ", "this is no TOML: Invalid value (at line 1, column 10)."),
        ("repeat = 6", "repeat = 6\nrepeat = 6", "this is no TOML: Cannot overwrite a value"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_key(old: str, new: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        study(changed((old, new)))
    assert str(refused.value).startswith("shop.toml: ")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_options_may_need_figures_of_cells_but_not_in_a_circle() -> None:
    share = 'rate = { share = 0.2, figure = "plateau", cell = { setup = "%s", delay = "0" } }'
    with pytest.raises(UsageError, match=r"configuration setup=pool .* would need itself"):
        study(changed(("users = 50\n", f"{share % 'pool'}\n")))
    with pytest.raises(UsageError, match=r"configuration setup=pool route=cpu .* is excluded"):
        study(changed(("users = 500\n", f"{share % 'pool'}\n"), ("users = 50\n", "rate = 5\n")))


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't be read: No such file"):
        reading.read(tmp_path / "shop.toml")
    with pytest.raises(UsageError, match="can't be read: Is a directory"):
        reading.read(tmp_path)
    (tmp_path / "shop.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="is not UTF-8"):
        reading.read(tmp_path / "shop.toml")


def test_published_figures_must_lie_beside_the_study(tmp_path: Path) -> None:
    file, figures = tmp_path / "shop.toml", tmp_path / "shop.csv"
    file.write_text(TEXT)
    with pytest.raises(UsageError, match=r"published\[1\].file: .*shop.csv can't be read"):
        reading.read(file, KNOWN)
    figures.write_text("setup,latency,rsp,route\n")
    with pytest.raises(UsageError, match="there is no column 'rps'; did you mean rsp"):
        reading.read(file, KNOWN)
    figures.write_text("setup,latency,rps,route\n")
    assert reading.read(file, KNOWN).path == str(file)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'of = "goodput"',
            'of = "godput"',
            "figures.plateau: of: there is no figure 'godput'; did",
        ),
        ('length = "10s"', 'width = "10s"', "figures.best: width: best_window takes only length."),
        ('length = "10s"', 'length = "10 parsec"', "figures.best: length: '10 parsec' is not a ti"),
        ('of = "goodput"', 'of = "goodput", scope = "load"', "figures.plateau: scope: goodput is"),
    ],
)
def test_figures_must_be_such_as_can_be_made(old: str, new: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "shop.toml"
    file.write_text(changed((old, new)))
    with pytest.raises(UsageError) as refused:
        reading.read(file, KNOWN)
    assert str(refused.value).startswith(f"shop.toml: {said}")


def test_the_text_of_a_stored_study_needs_neither_options_nor_files_of_today() -> None:
    old = changed(("users = 500", "gone = [1]"), ("option.timeout_s = 30", "pairs.a = 1"))
    with pytest.raises(UsageError, match=r"every.gone\[1\]: must be a text"):
        reading.parse(old, Path("shop.toml"))
    found = reading.parse(old.replace("[1]", "true"), Path("shop.toml"))
    assert (found.every["gone"], found.every["pairs"]) == (True, {"a": 1})


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("[" * 20_000 + "]" * 20_000, "repeat: it has lists in each other deeper"),
        ("{a = " * 20_000 + "1" + "}" * 20_000, "repeat: it has lists in each other deeper"),
        ("9" * 5000, "repeat: it has a number of more digits"),
        ("0x" + "f" * 20_000, "repeat: must be a whole number from 1 on, and is a number far too"),
    ],
)
def test_what_no_parser_takes_is_a_sentence_with_its_key(value: str, said: str) -> None:
    with pytest.raises(UsageError, match=f"^shop.toml: {said}"):
        reading.parse(f"format = 1\nrepeat = {value}\n", Path("shop.toml"))
