"""A server in this process that shows a form, judges what is sent and remembers what it took."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.parser import BytesParser
from html import escape
from urllib.parse import parse_qs, urlsplit

Values = dict[str, list[str]]
Rule = Callable[[str, Values], str]
"""What is wrong with a value, in the words that the page will show; empty when nothing is."""


@dataclass(frozen=True)
class Answer:
    status_code: int
    content: bytes
    headers: dict[str, str]


@dataclass(frozen=True)
class Field:
    name: str
    label: str
    rule: Rule = lambda value, data: ""
    kind: str = "text"
    attributes: str = ""
    options: tuple[str, ...] = ()
    hint: str = ""
    required: str = ""
    """Said when nothing is given."""

    def wrong(self, data: Values) -> str:
        given = [value for value in data.get(self.name, []) if value]
        if not given:
            return self.required
        return self.rule(given[-1], data)

    def control(self, values: Values, more: str = "") -> str:
        """The control alone, as every maker writes it."""
        given = values.get(self.name, [])
        inside = f'name="{self.name}" id="{self.id}" {self.attributes} {more}'
        if self.kind == "select":
            options = "".join(
                f'<option value="{one}"{" selected" * (one in given)}>{one or "-"}</option>'
                for one in ("", *self.options)
            )
            return f"<select {inside}>{options}</select>"
        if self.kind in ("radio", "checkbox"):
            return "".join(
                f'<input type="{self.kind}" name="{self.name}" id="{self.id}_{number}" '
                f'value="{one}" {self.attributes} {more}{" checked" * (one in given)}>'
                f'<label for="{self.id}_{number}">{one}</label>'
                for number, one in enumerate(self.options)
            )
        value = escape(given[0] if given else "")
        if self.kind == "textarea":
            return f"<textarea {inside}>{value}</textarea>"
        kept = "" if self.kind in ("password", "file") else f'value="{value}"'
        return f'<input type="{self.kind}" {inside} {kept}>'

    @property
    def id(self) -> str:
        return self.name.replace("[", "_").replace("]", "")


@dataclass(frozen=True)
class Shown:
    """One page of a form as it is to be drawn."""

    fields: tuple[Field, ...]
    values: Values
    errors: Mapping[str, str]
    language: str
    last: bool
    buttons: str
    hidden: str

    @property
    def labels(self) -> dict[str, str]:
        return {field.name: field.label for field in self.fields}

    @property
    def ids(self) -> dict[str, str]:
        return {field.name: field.id for field in self.fields}


Skin = Callable[[Shown], str]


@dataclass
class Site:
    """One form of a maker."""

    skin: Skin
    language: str
    pages: tuple[tuple[Field, ...], ...]
    thanks: str = "<h1>Thank you</h1>"
    whole: Rule = lambda value, data: ""
    """What is wrong with the page as a whole."""
    refusal: int = 200
    charset: str = "utf-8"
    end: str = "page"
    """page, redirect, refresh (by meta), flash (the empty form once more with the thanks)."""
    method: str = "post"
    enctype: str = ""
    around: str = ""
    """What stands on every page, thanks included."""
    buttons: str = "<button>OK</button>"
    hidden: str = ""
    keeps: bool = True
    """Whether what was given is shown again."""
    declared: str = "header"
    """Where the charset is said: header, meta."""
    taken: Values = field(default_factory=dict)
    done: int = 0
    sent: list[Values] = field(default_factory=list)
    number: int = 0

    def get(self, path: str, **more: object) -> Answer:
        parts = urlsplit(path)
        if parts.path == "/thanks":
            return self._answer(self.thanks)
        if self.method == "get" and parts.query:
            return self._judged(self._parsed(parts.query.encode(), ""))
        return self._answer(self._page({}, {}))

    def post(self, path: str, data: bytes, content_type: str, **more: object) -> Answer:
        return self._judged(self._parsed(data, content_type))

    def _judged(self, data: Values) -> Answer:
        self.sent.append(data)
        fields = self.pages[self.number]
        errors = {one.name: words for one in fields if (words := one.wrong(data))}
        if words := self.whole("", data):
            errors[""] = words
        if errors:
            return self._answer(self._page(data if self.keeps else {}, errors), self.refusal)
        self.taken |= data
        if self.number + 1 < len(self.pages):
            self.number += 1
            return self._answer(self._page({}, {}))
        self.done += 1
        if self.end == "redirect":
            return Answer(303, b"", {"Location": "/thanks"})
        if self.end == "refresh":
            return self._answer(
                '<meta http-equiv="Refresh" content="0; URL=\'/thanks\'"><p>...</p>'
            )
        if self.end == "flash":
            return self._answer(self.thanks + self._page({}, {}))
        return self._answer(self.thanks)

    def _page(self, values: Values, errors: Mapping[str, str]) -> str:
        fields = self.pages[self.number]
        last = self.number + 1 == len(self.pages)
        shown = Shown(fields, values, errors, self.language, last, self.buttons, self.hidden)
        enctype = f' enctype="{self.enctype}"' if self.enctype else ""
        inside = self.skin(shown)
        opened = inside.replace("<form", f'<form method="{self.method}"{enctype}', 1)
        return f"<h1>Form</h1>{opened}"

    def _answer(self, inner: str, status: int = 200) -> Answer:
        meta = f'<meta charset="{self.charset}">' if self.declared == "meta" else ""
        page = (
            f'<!DOCTYPE html><html lang="{self.language}"><head>{meta}<title>Form</title></head>'
            f"<body>{self.around}{inner}</body></html>"
        )
        said = f"; charset={self.charset}" if self.declared == "header" else ""
        return Answer(status, page.encode(self.charset), {"Content-Type": f"text/html{said}"})

    def _parsed(self, data: bytes, content_type: str) -> Values:
        """Read in the page's own charset, as old servers do."""
        if not content_type.startswith("multipart/"):
            return parse_qs(data.decode("ascii"), keep_blank_values=True, encoding=self.charset)
        head = f"Content-Type: {content_type}\r\n\r\n".encode()
        found: Values = {}
        for part in BytesParser().parsebytes(head + data).get_payload():
            name = str(part.get_param("name", header="Content-Disposition"))
            content = part.get_payload(decode=True)
            value = part.get_filename() or content.decode(self.charset, "replace")
            found.setdefault(name, []).append(value)
        return found
