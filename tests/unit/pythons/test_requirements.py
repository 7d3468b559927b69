"""Requirements files: what of them matters, and when two ask for the same."""

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.pythons.requirements import read

LOCK = """\
# written by a tool
django==5.2.1 \\
    --hash=sha256:aa \\
    --hash=sha256:bb   # both
gunicorn==22.0.0; python_version < "4"

-e git+https://example.org/shop.git#egg=shop
"""


def test_included_files_stand_in_place_and_constraints_apart(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "all.txt").write_text("-r sub/base.txt\n-c limits.txt\ngunicorn\n")
    (tmp_path / "sub/base.txt").write_text("--requirement=more.txt\ndjango\n")
    (tmp_path / "sub/more.txt").write_text("asgiref\n")
    (tmp_path / "limits.txt").write_text("django<6\n")
    found = read(tmp_path / "all.txt")
    assert found.lines == ("asgiref", "django", "gunicorn")
    assert found.constraints == ("django<6",)
    (tmp_path / "limits.txt").write_text("django<7\n")
    assert read(tmp_path / "all.txt").digest != found.digest


def test_a_file_that_includes_itself_is_refused(tmp_path):
    (tmp_path / "one.txt").write_text("-r two.txt\n")
    (tmp_path / "two.txt").write_text("-r one.txt\n")
    with pytest.raises(UsageError, match=r"one\.txt includes itself"):
        read(tmp_path / "one.txt")


def test_what_is_not_there_or_empty_or_no_text_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"no requirements file .*pip freeze > none\.txt"):
        read(tmp_path / "none.txt")
    (tmp_path / "empty.txt").write_text("# nothing\n")
    with pytest.raises(UsageError, match="lists nothing to install"):
        read(tmp_path / "empty.txt")
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="it is not UTF-8 text"):
        read(tmp_path / "binary.txt")
    with pytest.raises(UsageError, match="can't be read"):
        read(tmp_path)


def test_values(golden):
    golden.values()
