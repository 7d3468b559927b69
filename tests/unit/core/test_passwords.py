"""Passwords are found wherever they stand; what is none stays."""

import time

import pytest

from benchsuite.core.printable import completed, hidden, hidden_in, is_hidden
from benchsuite.core.results import Program

SECRET = "s3cr3t"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgres://ann:s3cr3t@host:5432/shop", "postgres://ann@host:5432/shop"),
        ("postgres://ann:p%40s3cr3t%2F@host/shop", "postgres://ann@host/shop"),
        ("postgres://ann:a@s3cr3t/b:c?d#e@host/shop", "postgres://ann@host/shop"),
        ("postgres://ann:s3cr3t with 'blanks'@host/shop", "postgres://ann@host/shop"),
        ("postgres://ann:12345@host/shop", "postgres://ann@host/shop"),
        ("postgres://host/shop?user=ann&password=s3cr3t", "postgres://host/shop?user=ann"),
        ("postgres://host/shop?password=s3cr3t", "postgres://host/shop"),
        ("postgres://host/shop?password=s3cr3t&a=b", "postgres://host/shop?a=b"),
        ("postgres://host/shop?p%61ssword=s3cr3t#x", "postgres://host/shop#x"),
        ("mysql://host/shop?passwd=s3cr3t&ssl=1", "mysql://host/shop?ssl=1"),
        ("postgres://h/d?sslpassword=s3cr3t", "postgres://h/d"),
        ("redis://:s3cr3t@host:6379/1", "redis://host:6379/1"),
        ("unix:///run/redis.sock?db=2&password=s3cr3t", "unix:///run/redis.sock?db=2"),
        ("postgres://ann:s3cr3t@[::1]:5432/shop", "postgres://ann@[::1]:5432/shop"),
        ("postgres:ann:s3cr3t@host/shop", "postgres:***@host/shop"),
        ("ann:s3cr3t@host/shop", "ann:***@host/shop"),
        ("postgres:/ann:s3cr3t@host/shop", "postgres:/ann@host/shop"),
        ("host=h password=s3cr3t dbname=d", "host=h password=*** dbname=d"),
        (r"host=h password='s3 cr\'3t' dbname=d", "host=h password=*** dbname=d"),
        ("PGPASSWORD=s3cr3t psql", "PGPASSWORD=*** psql"),
        ('A.PASSWORD="s3cr3t", b=1', "A.PASSWORD=***, b=1"),
        ("/login?password=s3cr3t&a=b", "/login?password=***&a=b"),
        ("{'NAME': 'd', 'PASSWORD': 's3cr3t'}", "{'NAME': 'd', 'PASSWORD': '***'}"),
        ('{"password": "s3cr3t", "a": 1}', """{"password": '***', "a": 1}"""),
        ("Authorization: Bearer s3cr3t", "Authorization: ***"),
        ("Cookie: sessionid=s3cr3t; a=b", "Cookie: ***"),
        (
            'invalid URI: "postgres://ann:s3cr3t@host", and redis://:s3cr3t@h too',
            'invalid URI: "postgres://ann@host", and redis://h too',
        ),
        ("first\npostgres://a:s3cr3t@b\nlast", "first\npostgres://a@b\nlast"),
    ],
)
def test_a_password_is_hidden_wherever_it_stands(text: str, shown: str) -> None:
    assert hidden(text) == shown
    assert SECRET not in hidden(text)
    assert hidden(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "http://127.0.0.1:8000/?email=ann@example.org",
        "http://127.0.0.1:8000 is ann@example.org's",
        "postgres://ann@host/shop?sslmode=require",
        "unix:///run/redis.sock?db=2",
        "redis://a:6379,redis://b:6379",
        "password authentication failed for user ann",
        "PASSWORD_HASHERS is slow: 12:30:15 a b",
        '{"PASSWORD": ""}',
        "git+ssh://git@github.com/a/b@main",
        "[::1]:8000 answers, ann@host:5432 does not",
    ],
)
def test_what_is_no_password_stays(text: str) -> None:
    assert hidden(text) == text


def test_values_are_hidden_at_any_depth_and_keep_their_kind() -> None:
    made = hidden_in(
        {
            "argv": ("server", "--password", SECRET, f"--url=redis://:{SECRET}@h", "-p", "1"),
            "options": {"token_secret": SECRET, "size": 5, "list": [f"password={SECRET}"]},
            "program": Program(part="target", name="x", argv=(f"DB_PASSWORD={SECRET}",)),
            "nothing": None,
        }
    )
    assert SECRET not in repr(made)
    assert made["argv"] == ("server", "--password", "***", "--url=redis://h", "-p", "1")
    assert made["options"]["size"] == 5
    assert made["program"].argv == ("DB_PASSWORD=***",)
    assert is_hidden(made["options"])
    assert not is_hidden({"url": hidden(f"redis://:{SECRET}@h")})


def test_a_url_is_completed_by_the_same_one_only() -> None:
    known = "postgres://ann:s3cr3t@host/shop"
    assert completed("postgres://ann@host/shop", known) == known
    assert completed("postgres://ann@host/other", known) == "postgres://ann@host/other"
    assert completed("postgres://ann:mine@host/shop", known) == "postgres://ann:mine@host/shop"
    assert completed("throwaway", "") == "throwaway"


@pytest.mark.parametrize(
    "part",
    [
        "a",
        "a.",
        "a:",
        "a-b",
        "user:",
        "http://a:",
        "password",
        "password =",
        "'password",
        "a://b:@",
    ],
)
def test_a_long_line_of_a_log_takes_no_time(part: str) -> None:
    line = part * (100_000 // len(part))
    before = time.process_time()
    for text in (line, f"{line}:", f"{line}= x"):
        hidden(text)
    assert time.process_time() - before < 3.0
