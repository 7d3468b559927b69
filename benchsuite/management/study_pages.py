"""Writes what stored executions of studies found, as Markdown: one page, or a folder of them."""

import os
from collections.abc import Sequence
from pathlib import Path

from benchsuite import conf
from benchsuite.core.exceptions import UsageError, choices
from benchsuite.management import streams
from benchsuite.models import StudyRun
from benchsuite.report.studies import summary
from benchsuite.report.studies.differences import chosen_beside, whole
from benchsuite.report.studies.execution import StudyReport, chosen, study_report
from benchsuite.report.writers import to_markdown

FLAG = "--markdown"
INDEX = "README"  #: The page that answers a question from all.


def write(file: str, names: Sequence[str], label: str, other: str = "") -> str:
    """The page of one study into that file ("-" for standard output); of several, or of all that
    were executed where none is named, a page each into that folder, and one that answers from all
    ("-": this one alone). Of one study with its difference to the `other` execution, by label or
    id. Returns what was written, in words.

    Raises UsageError where there is nothing to write, or no place for it, and BenchsuiteError where
    it can't be written.
    """
    if len(names) == 1:
        streams.check(FLAG, file)
        report = study_report(chosen(names[0], label))
        streams.write(file, to_markdown(whole(report, chosen_beside(report, other))))
        return ""
    if other:
        raise UsageError("--with is the difference of two executions of one study; name it.")
    if file != "-" and not os.path.isdir(file):  # Path's own raises where a name is too long
        raise UsageError(
            f"{FLAG}={file} must be a folder, as several studies are written; create it, or name "
            "one study."
        )
    every, without = _found(names, label)
    pages = {f"{one.study.name}.md": to_markdown(whole(one)) for one in every}
    pages[f"{INDEX}.md"] = to_markdown(summary.answer(every, without))
    if file == "-":
        streams.write(file, pages[f"{INDEX}.md"])
        return ""
    for name, page in pages.items():
        streams.check(FLAG, str(Path(file, name)))
        streams.write(str(Path(file, name)), page)
    return f"Written  {', '.join(pages)} in {file}"


def _found(names: Sequence[str], label: str) -> tuple[list[StudyReport], dict[str, str]]:
    """The executions of these studies, and why there is none of others."""
    executed = StudyRun.objects.values_list("name", flat=True).order_by("name").distinct()
    known = list(dict.fromkeys([*conf.study_files(), *executed]))
    for name in names:
        if name not in known:
            raise UsageError(f"There is no study {name[:60]!r}; {choices(name[:60], known)}")
    reports: list[StudyReport] = []
    without: dict[str, str] = {}
    for name in dict.fromkeys(names or known):
        if name == INDEX:
            without[name] = f"{INDEX}.md is the page of all studies; write this one alone."
            continue
        try:
            reports.append(study_report(chosen(name, label)))
        except UsageError as error:
            without[name] = str(error)
    if not reports:
        raise UsageError(next(iter(without.values())))
    return reports, without
