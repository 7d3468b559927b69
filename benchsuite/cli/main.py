"""The command line: `benchsuite run --path=/shop/` in the folder of a Django project."""

import io
import os
import shlex
import sys
from argparse import REMAINDER, SUPPRESS, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path

from benchsuite import __version__
from benchsuite.agent.messages import NOBODY
from benchsuite.cli import places
from benchsuite.cli.project import Project, find
from benchsuite.core.commands import PROGRAM_VARIABLE, PYTHON_VARIABLE, SHORT, Parser, command
from benchsuite.core.exceptions import BenchsuiteError, UnavailableError, UsageError, choices
from benchsuite.core.printable import hidden, printable
from benchsuite.core.specs.run import MAX_LABEL
from benchsuite.core.units import some_of
from benchsuite.pythons.interpreter import Interpreter

VERBS = {
    "run": "measure a page on real servers",
    "tune": "find server, processes and threads for a latency objective",
    "compare": "say which stored runs are faster, and how surely",
    "study": "execute one of the published studies",
    "check": "say whether this machine is quiet enough to measure on",
    "list": "list servers, workloads, findings",
    "dump": "write stored runs to a file",
    "load": "read such a file",
    "worker": "make the load of a run on another machine",
    "agent": "watch a target for a run on another machine",
    "serve": "show the results of all projects in a browser",
}
COMMANDS = {short: name for name, short in SHORT.items()}
OTHERS = ("completesurvey", "buildheritage", "buildpeer")
WITHOUT_RESULTS = ("list", "worker", "agent", *OTHERS)  #: Which neither read nor store any.
PROJECTS = ("run", "tune", "study", "list")  #: Which are about a project.
HELPS = {"-h", "--help", "--help-all"}
STORED = {"--again", "--resume", "--paste"}  #: Options that repeat or show what is stored.
OPTIONS = {
    "project": ("FOLDER", "of manage.py (default: this one, one above, the only one below)"),
    "settings": ("MODULE", "the project's settings (default: those of manage.py)"),
    "python": ("PATH", "the project's Python or environment (default: the active one, .venv, …)"),
    "results": ("FILE", "where runs are kept (default: a file in your data folder)"),
}
EXAMPLES = """\
examples, in the folder of a Django project:
  {program} run                      what it finds there, and what to measure first
  {program} run --path=/shop/ --server=gunicorn-gthread,uvicorn
  {program} tune --path=/shop/ --objective="p95 < 200ms"
"""
SHOWN = 8  #: Pages.
EVERY_HOST = ("0", "0.0.0.0", "[::]")


def main(argv: Sequence[str] | None = None) -> int:
    """Executes one verb; returns its exit status, 2 for what makes no sense."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # whose encoding may lack what is printed
        sys.stdout.reconfigure(errors="replace")
    program = _program()
    parser = _parser(program)
    asked = parser.parse_args(argv)
    if not asked.verb:
        parser.print_help()
        return 0
    try:
        return _execute(asked, program)
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        return 130
    except BenchsuiteError as error:
        sys.stderr.write(f"benchsuite: {hidden(str(error))}\n")
        return 2 if isinstance(error, UsageError | UnavailableError) else 1


def _program() -> str:
    """How it was called: installed, as a module, or by uvx from its cache."""
    if sys.argv[0].endswith("__main__.py"):
        return "python -m benchsuite"
    cache = os.environ.get("UV_CACHE_DIR") or Path.home() / ".cache/uv"
    uvx = Path(sys.prefix).is_relative_to(cache)
    return "uvx --from django-benchsuite benchsuite" if uvx else "benchsuite"


def _parser(program: str) -> Parser:
    width = max(map(len, VERBS))
    parser = Parser(
        program,
        usage=f"{program} [--project FOLDER] VERB [options]",
        description="Measures the Django project of this folder. Nothing is added to the project.",
        epilog="verbs (VERB --help says more):\n"
        + "".join(f"  {verb:{width}}  {words}\n" for verb, words in VERBS.items())
        + f"\n{EXAMPLES.format(program=program)}",
        formatter_class=RawDescriptionHelpFormatter,
    )
    for name, (metavar, words) in OPTIONS.items():
        parser.add_argument(f"--{name}", metavar=metavar, default="", help=words)
    parser.add_argument("--version", action="version", version=f"benchsuite {__version__}")
    parser.add_argument("verb", nargs="?", help=SUPPRESS)
    parser.add_argument("words", nargs=REMAINDER, help=SUPPRESS)
    return parser


def _execute(asked: Namespace, program: str) -> int:
    verb, words = SHORT.get(asked.verb, asked.verb), asked.words
    if verb not in VERBS and verb not in OTHERS:
        raise UsageError(f"There is no verb {verb!r}; {choices(verb, [*VERBS, *OTHERS])}")
    named = {word.partition("=")[0] for word in words}
    for option in named & {"--project", "--settings", "--results"}:  # Django passes over its own
        raise UsageError(f"{option} stands before the verb: {program} {option} … {verb}")
    given = [f"--{name}={value}" for name in OPTIONS if (value := vars(asked)[name])]
    results = Path(asked.results or places.data_folder() / "results.sqlite3")
    results = Path(os.path.expanduser(results)).absolute()  # of the folder where it is typed
    os.environ[PROGRAM_VARIABLE] = shlex.join([*program.split(), *given])
    os.environ[places.RESULTS_VARIABLE] = str(results)
    project, helps, typed_in = None, not HELPS.isdisjoint(words), Path.cwd()
    if verb in PROJECTS and not helps:
        folder = Path(os.path.abspath(os.path.expanduser(asked.project)))
        try:
            project = find(folder, asked.settings, asked.python)
            _enter(project)
        except BenchsuiteError:  # what already runs needs none
            needs = verb != "list" and _starts_here(words)
            if asked.project or asked.settings or asked.python or needs:
                raise
            project = None
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchsuite.cli.settings"
    import django
    from django.core.management import load_command_class

    django.setup()
    if project and verb == "run" and not words:
        sys.stdout.write(introduction(project))
        return 0
    if not helps and verb not in WITHOUT_RESULTS:
        _migrate(results)
    if verb == "serve":
        return _serve(words)
    if project and verb != "list":
        words = [*project_options(project, verb, words), *words]
    made = load_command_class("benchsuite", COMMANDS.get(verb, verb))
    if project and typed_in != Path.cwd():
        parser = made.create_parser(os.environ[PROGRAM_VARIABLE], verb)
        words = list(places.as_typed(words, parser, typed_in))
    made.run_from_argv([os.environ[PROGRAM_VARIABLE], verb, *words])
    return 0


def _migrate(results: Path) -> None:
    """Gives the file of the results the tables of this version."""
    from django.core.management import call_command
    from django.db import Error

    try:
        call_command("migrate", verbosity=0)
    except Error as error:
        raise UnavailableError(
            f"Results can't be kept in {results}: {error}; name another file: --results FILE."
        ) from error


def _enter(project: Project) -> None:
    """Makes this process see what manage.py would: its folder, its path, its variables."""
    if project.fault:
        raise UnavailableError(
            f"The project in {project.folder} can't be loaded with {project.settings}: "
            f"{project.fault.rstrip('.')}. It must pass {project.python} manage.py check; or name "
            "other settings: --settings MODULE."
        )
    os.environ.update(project.environment)
    os.environ[places.PROJECT_VARIABLE] = printable(str(project.folder))[-MAX_LABEL:]
    os.environ[places.SETTINGS_VARIABLE] = project.settings
    sys.path[:0] = project.folders
    os.chdir(project.folder)
    if not project.is_own:  # what the settings import may be in its environment alone
        os.environ[PYTHON_VARIABLE] = str(project.python)
        stand_in = module_from_spec(ModuleSpec(project.settings, None))
        vars(stand_in).update(project.values)
        sys.modules[project.settings] = stand_in


def _starts_here(words: Sequence[str]) -> bool:
    """Whether the server is started on this machine, for which the project is needed."""
    named = {word.partition("=")[0] for word in words if word != f"--agent={NOBODY}"}
    return named.isdisjoint({"--target", "--agent"})


def project_options(project: Project, verb: str, words: Sequence[str]) -> list[str]:
    """The project's Python, and its name as label, where nothing else is asked for."""
    named = {word.partition("=")[0] for word in words}
    if named & STORED and verb != "study":  # which goes on with the last one of its label
        return []
    options = {"--label": project.name}
    if not project.is_own and verb != "study" and _starts_here(words):
        options["--python"] = str(project.python)
    return [f"{flag}={value}" for flag, value in options.items() if value and flag not in named]


def introduction(project: Project) -> str:
    """What was found, and what to measure first."""
    from benchsuite import conf

    python = Interpreter(str(project.python), project.name)
    servers = [
        name
        for name, adapter in conf.servers().items()
        if adapter.serves_project and adapter.for_production and not adapter.companions
        if python.installed(adapter.distribution) and adapter.available(python).ok
    ]
    pages = project.pages or ["/"]
    first = servers[0] if servers else "runserver"
    facts = {
        "Project": f"{project.name} in {project.folder}",
        "Settings": f"{project.settings} (Django {project.django})",
        "Python": str(project.python),
        "Servers": ", ".join(servers) or "only runserver; install another there, such as gunicorn",
        "Pages": some_of(pages, SHOWN),
    }
    return "\n".join(
        [
            *(f"{name:10}{value}" for name, value in facts.items()),
            "\nMeasure a page, or find the server and its size for it:",
            f"  {command('runbench', f'--path={pages[0]}', f'--server={first}')}",
            f"  {command('tunebench', f'--path={pages[0]}')}\n",
        ]
    )


def _serve(words: Sequence[str]) -> int:
    """The pages, until Ctrl-C."""
    from django.conf import settings
    from django.core.management import call_command
    from django.core.management.commands.runserver import naiveip_re

    from benchsuite.views.access import TOKEN_VARIABLE

    parser = Parser(prog="benchsuite serve")
    parser.add_argument("--address", default=places.ADDRESS, help="default: %(default)s")
    address = parser.parse_args(words).address
    place = naiveip_re.match(address)
    if not place or not place["addr"] or not 0 < int(place["port"]) < 2**16:
        raise UsageError(f"--address={address} must be HOST:PORT, such as 127.0.0.1:8765.")
    host = place["addr"]
    settings.ALLOWED_HOSTS.append("*" if host in EVERY_HOST else host)
    os.environ[TOKEN_VARIABLE] = places.token()
    sys.stdout.write(f"Results (Ctrl-C ends): http://{address}/?token={places.token()}\n")
    sys.stdout.flush()
    how = {"use_reloader": False, "insecure_serving": True, "skip_checks": True}
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        call_command("runserver", address, stdout=nowhere, **how)
    return 0
