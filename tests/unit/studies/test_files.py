"""The studies that come with benchsuite: each cell is one run that its adapters accept."""

import csv
from pathlib import Path
from statistics import fmean

import pytest

from benchsuite import conf
from benchsuite.management.options import run as run_options
from benchsuite.runner import planning
from benchsuite.servers.base import Application
from benchsuite.studies import matrix, reading
from benchsuite.studies.options import arguments, shares

FILES = reading.studies()


@pytest.fixture(params=list(FILES))
def study(request):
    return reading.read(FILES[request.param], run_options.known())


def runs(study, scale):
    """Every cell; its adapters have refused none of its options."""
    for cell in matrix.cells(study, scale):
        resolved = dict.fromkeys(shares(cell.options), 100)
        spec = run_options.of_cell(arguments(cell, resolved))
        conf.server_class(spec.server.server)(spec.server, Application())
        planning.workload(spec.workload).fit(spec.load)
        if spec.server.front:
            conf.front_class(spec.server.front)(spec.server.front_options)
        yield cell


@pytest.mark.parametrize("scale", [1, 0.2, 0.05])
def test_every_cell_is_one_run(study, scale):
    found = list(runs(study, scale))
    told = [tuple(arguments(cell)) for cell in found]
    assert len(set(told)) == len(told), "two cells are the same run"


def test_at_a_small_scale_every_claim_can_still_be_asked_of_some_cell(study):
    there = [dict(cell.coordinates) for cell in matrix.cells(study, 0.05)]
    asked = [
        check
        for claim in study.claims
        for check in claim.checks
        if any(all(cell[axis] in values for axis, values in check.cell.items()) for cell in there)
    ]
    assert len(asked) >= 0.5 * sum(len(claim.checks) for claim in study.claims)


def test_every_file_is_of_a_study():
    """And none is published that nobody reads."""
    read = {"channels_layers_throughput.csv"}  # its mean is in channels_layers_published.csv
    for name, file in FILES.items():
        found = reading.read(file)
        read |= {f"{name}.toml", *(one.file for one in found.published)}
    assert read == {file.name for file in reading.FOLDER.iterdir()}


def test_the_mean_of_channels_layers_is_that_of_its_published_series():
    def lines(name):
        return list(csv.DictReader(Path(reading.FOLDER / name).read_text().splitlines()))

    series = lines("channels_layers_throughput.csv")
    for line in lines("channels_layers_published.csv"):
        if line["per_5s"]:
            mean = fmean(float(one[line["setup"]]) for one in series)
            assert float(line["per_5s"]) == round(mean)
