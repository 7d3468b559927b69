"""How a path is asked for, and what is none."""

from urllib.parse import urljoin, urlsplit

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.wording import check_written, path_of, quoted


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/", "/"),
        ("/ü", "/%C3%BC"),
        ("/a b", "/a%20b"),
        ("/a%20b", "/a%20b"),
        ("/shop/?q=a b&next=/x?y", "/shop/?q=a%20b&next=/x?y"),
        ('/"<>\\^`{|}', "/%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("/!$&'()*+,;=:@~-._", "/!$&'()*+,;=:@~-._"),
        ("/a//b", "/a//b"),
        ("//b", "//b"),
        ("/日本?ключ=☃", "/%E6%97%A5%E6%9C%AC?%D0%BA%D0%BB%D1%8E%D1%87=%E2%98%83"),
        ("/\udcff", "/%FF"),
        ("/\u2028", "/%E2%80%A8"),
    ],
)
def test_it_is_quoted_as_browsers_do(path: str, asked: str) -> None:
    assert quoted(path) == asked
    assert quoted(asked) == asked


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "must begin with one slash"),
        ("shop/", "must begin with one slash"),
        ("http://host/shop/", "must begin with one slash"),
        ("/shop/#top", "has a fragment"),
        ("/shop/\n", "control character"),
        ("/shop/\r\nX-Evil: 1", "control character"),
        ("/\x00", "control character"),
        ("/\x7f", "control character"),
        ("/a\tb", "control character"),
    ],
)
def test_what_is_no_path_is_refused(path: str, words: str) -> None:
    for refuse in (quoted, check_written):
        with pytest.raises(UsageError, match=words):
            refuse(path)


def test_nobody_writes_two_slashes_and_means_a_path() -> None:
    with pytest.raises(UsageError, match="hold no host"):
        check_written("//host/shop/")
    check_written("/shop//cart/")


@pytest.mark.parametrize(
    ("location", "asked"),
    [
        ("http://host//x", "//x"),
        ("http://host", "/"),
        ("http://host?a=b", "/?a=b"),
        ("?page=2#top", "/shop/?page=2"),
        ("/a\x01b\x7f?c=\x02", "/a%01b%7F?c=%02"),
        ("/ü b", "/%C3%BC%20b"),
        ("", "/shop/"),
    ],
)
def test_where_a_server_leads_browsers_go(location: str, asked: str) -> None:
    assert path_of(urlsplit(urljoin("http://host/shop/", location))) == asked
    assert quoted(asked) == asked
