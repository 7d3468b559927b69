"""Compares stored runs: by how much they differ, whether it can be chance, and whether that is
still within given limits.
"""

import json
from dataclasses import dataclass, replace
from typing import Any

from django.core.management.base import CommandError

from benchsuite import conf
from benchsuite.comparing import contrasts, differences, gate, pairing
from benchsuite.comparing.answer import of_pairs
from benchsuite.comparing.gate import Decision
from benchsuite.core.exceptions import UsageError
from benchsuite.core.metrics import every
from benchsuite.core.specs.spec import Spec, option, optional, switch, table
from benchsuite.management import output
from benchsuite.management.options.parsing import BriefCommand, read
from benchsuite.report.exports import as_json, as_junit
from benchsuite.report.writers import to_markdown
from benchsuite.store import notes, sweep

STATUS = {Decision.BROKEN: 1, Decision.UNDECIDED: 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparing(Spec):
    names: tuple[str, ...] = option(
        (),
        "NAME  label, server, or how the id of a run or batch begins; without any, the newest "
        "batch",
    )
    baseline: str | None = optional(
        "--baseline NAME  what the others are divided by: a name, or a server among the runs named",
        unless="the first; within a batch a star, else the nearest behind the best",
    )
    metrics: tuple[str, ...] = option(
        (),
        f"--metric NAME[,NAME…]  figures to compare: {', '.join(every.compared())}",
        unless=", ".join(contrasts.DEFAULT),
    )
    margins: tuple[str, ...] = option(
        (),
        '--margin [FIGURE=]PERCENT  which difference is too small to matter: "2%" of every ratio, '
        '"p95=5%" of one figure',
        unless='BENCHSUITE["MARGINS_PERCENT"], else 1%, and 0.1 points of failures and losses',
    )
    force: bool = switch(
        "--force  compare unlike things (work, load, data, environment), and say so"
    )
    conditions: tuple[str, ...] = option(
        (),
        '--fail-if CONDITION  a limit such as "p95 > +10%" or "goodput < -5%", in percent of the '
        "baseline (failures: percentage points). Ends with status 0 when all are held, 1 when one "
        "is broken, 3 when one is undecided",
    )
    json: str | None = optional('--json FILE  write everything as JSON ("-" for standard output)')
    html: str | None = optional("--html FILE  write the page as one file that opens offline")
    junit: str | None = optional(
        "--junit FILE  write the conditions as JUnit XML",
        needs=("conditions", "conditions to write (--fail-if)"),
    )
    markdown: str | None = optional(
        "--markdown FILE  write a summary in Markdown, such as to $GITHUB_STEP_SUMMARY"
    )


class Command(BriefCommand):
    help = __doc__
    entries = table(Comparing)
    examples = ("", "gunicorn-gthread uvicorn", 'before after --fail-if="p95 > +10%"')
    failed_status = 2  # 1 would say that a condition is broken

    def handle(self, **options: Any) -> None:
        asked = read(Comparing, options)
        output.check("--markdown", asked.markdown)
        margins = (contrasts.parsed(asked.margins), conf.margins())
        conditions = [gate.parse(text) for text in asked.conditions]
        sweep()
        pairs, choices = pairing.pairs(asked.names, asked.baseline, notes.starred)
        comparison = differences.Comparison(pairing.runs(pairs))
        usual = dict.fromkeys(name for pair in pairs for name in contrasts.figures_of(pair))
        names = asked.metrics or [*usual]  # of idle connections another one
        metrics = [contrasts.metric(name, *margins) for name in names]
        each = (differences.Comparison(pairing.runs([pair])) for pair in pairs)
        kinds = {one.kind for of_pair in each for one in differences.unlike(of_pair)}
        differing = (one for one in differences.unlike(comparison) if one.kind in kinds)
        unlike = [one.sentence(comparison.titles) for one in differing]
        if unlike and not asked.force:
            raise UsageError(f"{' '.join(unlike)} --force compares them anyway and says so.")
        made, judgements = contrasts.contrasts(pairs, metrics), gate.judge(pairs, conditions)
        answer = of_pairs(pairs, made, judgements, comparison, unlike)
        answer = replace(answer, cautions=[*choices, *answer.cautions])
        if asked.html:  # first: a page refuses too many runs
            runs = ",".join(str(run.pk) for run in comparison.runs)
            first = made[0].baseline.first.pk if made else ""
            output.write_page(asked.html, "compare.show", runs=runs, baseline=first, forced=1)
        files = (asked.json, asked.html, asked.junit, asked.markdown)
        output.Screen(*files, verbosity=options["verbosity"]).answer(answer)
        if asked.json:
            content = as_json(answer, made, judgements, unlike=unlike, comparison=comparison)
            output.write(asked.json, json.dumps(content, indent=2) + "\n")
        if asked.junit:
            output.write(asked.junit, as_junit(judgements, answer.premises))
        if asked.markdown:
            output.write(asked.markdown, to_markdown(answer))
        decision = gate.overall(judgements)
        if decision in STATUS:
            count = sum(one.decision is decision for one in judgements)
            raise CommandError(
                f"{count} of {len(judgements)} conditions {decision.value}.",
                returncode=STATUS[decision],
            )
