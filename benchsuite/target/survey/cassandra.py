"""Keeps answers in Cassandra, as the application of 2014 did. A visit is one partition with its
data in static columns and its answers as rows: one batch to write a page, one query to read all.
"""

import json
import os
import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from cassandra import ProtocolVersion
from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile, Session
from cassandra.policies import RoundRobinPolicy
from cassandra.query import BatchStatement
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from benchsuite.target.survey.definitions import Survey
from benchsuite.target.survey.store import CASSANDRA_URL, Answers, Uploads, Visit, new_code

TABLES = {
    "visits": """
        CREATE TABLE IF NOT EXISTS visits (
            id uuid, survey text static, code text static, done set<int> static,
            started timestamp static, completed timestamp static,
            question int, value text, PRIMARY KEY (id, question)
        )""",
    "uploads": """
        CREATE TABLE IF NOT EXISTS uploads (
            id uuid, question int, name text, content_type text, content blob,
            PRIMARY KEY (id, question)
        )""",
}
STATEMENTS = {
    "begin": "INSERT INTO visits (id, survey, code, started) VALUES (?, ?, ?, ?)",
    "visit": "SELECT survey, code, done, completed, question, value FROM visits WHERE id = ?",
    "answer": "INSERT INTO visits (id, question, value) VALUES (?, ?, ?)",
    "done": "UPDATE visits SET done = done + ? WHERE id = ?",
    "upload": "INSERT INTO uploads (id, question, name, content_type, content) "
    "VALUES (?, ?, ?, ?, ?)",
    "complete": "UPDATE visits SET completed = ? WHERE id = ? IF completed = null",
}


class CassandraStore:
    """The run's own. Connects at a process's first request: connections survive no fork."""

    def __init__(self) -> None:
        url = urlsplit(os.environ[CASSANDRA_URL])
        profile = ExecutionProfile(load_balancing_policy=RoundRobinPolicy())
        self._cluster = Cluster(
            [url.hostname],
            port=url.port,
            protocol_version=ProtocolVersion.V4,  # spoken by every release since 2.2
            execution_profiles={EXEC_PROFILE_DEFAULT: profile},
        )
        self._session: Session = self._cluster.connect()
        self._make(url.path.strip("/"))
        self._statements = {name: self._session.prepare(text) for name, text in STATEMENTS.items()}

    def close(self) -> None:
        self._cluster.shutdown()

    def begin(self, survey: Survey) -> Visit:
        visit = Visit(id=uuid.uuid4(), code=new_code(), done=[], answers={}, completed=False)
        self._do("begin", visit.id, survey.slug, visit.code, timezone.now())
        return visit

    def visit(self, survey: Survey, pk: uuid.UUID) -> Visit | None:
        rows = list(self._do("visit", pk))
        if not rows or rows[0].survey != survey.slug:
            return None
        return Visit(
            id=pk,
            code=rows[0].code,
            done=sorted(rows[0].done or ()),
            answers={row.question: json.loads(row.value) for row in rows if row.value is not None},
            completed=rows[0].completed is not None,
        )

    def save_page(self, visit: Visit, number: int, answers: Answers, uploads: Uploads) -> None:
        """Files first, as they are too large for a batch: one without its answer is ignored."""
        for question, file in uploads.items():
            name, content_type = (file.name or "")[-200:], file.content_type or ""
            self._do("upload", visit.id, question, name, content_type, file.read())
        page = BatchStatement()
        for question, value in answers.items():
            text = json.dumps(value, cls=DjangoJSONEncoder)
            page.add(self._statements["answer"], (visit.id, question, text))
        page.add(self._statements["done"], ({number}, visit.id))
        self._session.execute(page)

    def complete(self, visit: Visit) -> None:
        self._do("complete", timezone.now(), visit.id)

    def counts(self) -> Mapping[str, int]:
        """Reads every partition: for checks after a run, not for pages."""
        visits = list(self._session.execute("SELECT DISTINCT id, completed FROM visits"))
        answers = self._session.execute("SELECT COUNT(question) AS total FROM visits").one()
        uploads = self._session.execute("SELECT COUNT(*) AS total FROM uploads").one()
        return {
            "participations": len(visits),
            "completions": sum(visit.completed is not None for visit in visits),
            "answers": answers.total,
            "uploads": uploads.total,
        }

    def _make(self, keyspace: str) -> None:
        """Creates the keyspace and tables if missing."""
        known = self._cluster.metadata.keyspaces
        if keyspace not in known:
            self._session.execute(
                f'CREATE KEYSPACE IF NOT EXISTS "{keyspace}" WITH replication = '
                "{'class': 'SimpleStrategy', 'replication_factor': 1}"
            )
        self._session.set_keyspace(keyspace)
        for name, statement in TABLES.items():
            if keyspace not in known or name not in known[keyspace].tables:
                self._session.execute(statement)

    def _do(self, name: str, *values: Any) -> Any:
        return self._session.execute(self._statements[name], values)
