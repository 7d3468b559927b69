"""Wrong settings are found before a run meets them."""

import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from benchsuite import conf
from benchsuite.checks import check_settings, check_urls
from benchsuite.conf import KEYS
from benchsuite.core.exceptions import UsageError


def ids(benchsuite):
    with override_settings(BENCHSUITE=benchsuite):
        return [message.id for message in check_settings()]


def test_the_test_project_and_an_empty_dict_are_right():
    assert check_settings() == []
    assert ids({}) == []


def test_each_mistake_has_its_id_and_a_hint(golden):
    def case(benchsuite):
        with override_settings(BENCHSUITE=benchsuite):
            (message,) = check_settings()
            assert message.hint
            with pytest.raises(CommandError) as refused:
                call_command("listbench")
        assert str(refused.value) == f"{message.msg} {message.hint}"
        assert refused.value.returncode == 2
        return f"{message.id}: {message.msg}"

    golden.cases(case, replace={r" at 0x\w+": "", r"(importlib.util>):\d+": r"\1"})


@pytest.mark.parametrize("wrong", [None, 3, [], (), "x", b"x", 1.5, object(), {3}])
def test_no_key_takes_every_type(wrong):
    """None is what some default to; no other value of a wrong type raises or passes."""
    texts = ("CACHE", "PROJECT")
    for name, key in KEYS.items():
        if (wrong is None and key.default is None) or (wrong == "x" and name in texts):
            continue
        if name == "STUDIES" and wrong in ([], ()):
            continue
        with override_settings(BENCHSUITE={name: wrong}):
            assert [one.id for one in check_settings()] == [key.id]
            if key.is_right(wrong):
                continue
            with pytest.raises(UsageError, match=rf"^BENCHSUITE\['{name}'\] is "):
                conf.config()


@pytest.mark.parametrize(
    "key", ["SERVERS", "FRONTS", "WORKLOADS", "SERVICES", "TELEMETRY", "ACCESS", "TARGET_SETTINGS"]
)
@pytest.mark.parametrize(
    "code", ["1 / 0", "import no_such", "exit(3)", "def (", "raise KeyError('two\\nlines')"]
)
def test_a_module_that_raises_at_its_import_is_one_sentence(tmp_path, monkeypatch, key, code):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "broken_bench").mkdir()
    (tmp_path / "broken_bench" / "__init__.py").write_text(f"{code}\n")
    path = "broken_bench.inner"
    with override_settings(
        BENCHSUITE={key: path if "_" in key or key == "ACCESS" else {"x": path}}
    ):
        (message,) = check_settings()
    assert message.id == KEYS[key].id
    assert "broken_bench" in message.msg
    assert "\n" not in message.msg


def test_a_class_that_is_none_is_refused_where_it_is_used_too():
    with (
        override_settings(BENCHSUITE={"SERVERS": {"x": "benchsuite.core.units.THIN_SPACE"}}),
        pytest.raises(UsageError, match=r"The server 'x' can't be used: .+ is no subclass of"),
    ):
        conf.server_class("x")


def test_a_misspelt_key_is_told_the_one_that_was_meant():
    with override_settings(BENCHSUITE={"overides": {}}):
        (message,) = check_settings()
    assert str(message.hint).startswith("Did you mean OVERRIDES?")


def test_the_documents_say_what_the_table_says():
    rows = re.findall(r"^\| `benchsuite\.(\w+)` \| (.+?) \|", _text("checks.md"), re.M)
    said = {f"benchsuite.{check_id}": text for check_id, text in rows}
    for name, key in KEYS.items():
        assert said.pop(key.id).startswith(f"`{name}` is not {key.wanted}")
    assert set(said) == {"benchsuite.E001", "benchsuite.E002", "benchsuite.W001"}
    rows = re.findall(r"^\| `(\w+)` \| `(.+?)` \|", _text("settings.md"), re.M)
    assert dict(rows) == {name: repr(key.default).replace("'", '"') for name, key in KEYS.items()}


def _text(name):
    return (Path(__file__).parents[2] / "docs" / name).read_text(encoding="utf-8")


def test_pages_that_are_not_mounted_are_a_warning():
    assert check_urls() == []
    with override_settings(ROOT_URLCONF="testproject.urls_target"):
        (message,) = check_urls()
    assert message.id == "benchsuite.W001"
