"""Throw-away services of a run, one file each: started, watched come up, ended, never installed."""

DATABASES: dict[str, str] = {
    "postgresql": "benchsuite.services.postgres.PostgreSQL",
    "mariadb": "benchsuite.services.mariadb.MariaDB",
}
"""Those that `--database=NAME` starts."""

BUILTIN: dict[str, str] = {
    **DATABASES,
    "redis": "benchsuite.services.redis.Redis",
    "api": "benchsuite.services.api.Api",
    "cassandra": "benchsuite.services.cassandra.Cassandra",
}
