"""The charts of one run: series → drawings."""

from benchsuite.report.charts import drawing, styles
from benchsuite.report.charts.drawing import SECONDS, Chart, blank, scatter, stroke
from benchsuite.report.charts.series import Series


def goodput(series: Series) -> Chart:
    """Failures are drawn to the end; the line ends with the last whole second of the load, for
    no journeys begin after it.
    """
    chart = blank(series, SECONDS, f"{series.facts['units']} per second")
    seconds, until = series.column(0), series.facts["until"]
    if any(series.column(4)):
        chart.add(drawing.bars(seconds, series.column(4), "failed", styles.BAD))
    look = stroke(styles.GOOD)
    look["line"]["shape"] = "hv"
    good = [
        value if second < until else None
        for second, value in zip(seconds, series.column(3), strict=True)
    ]
    chart.add(scatter(seconds, good, "goodput", "%{y}/s right", look))
    if 0 < until <= len(good):  # a second's step reaches to its end, at which there is no point
        last = {**look, "showlegend": False, "hoverinfo": "skip"}
        chart.add(scatter([until - 1, until], [good[until - 1]] * 2, "", "", last))
    return chart


def response_times(series: Series) -> Chart:
    unit, factor = drawing.unit_of(series)
    chart = blank(series, SECONDS, f"response time ({unit})")
    for index, column in enumerate(series.columns[1:], start=1):
        if any(value is not None for value in series.column(index)):
            times = drawing.scaled(series.column(index), factor)
            hover = f"{column.title} %{{y:.4~g}} {unit}"
            look = stroke(*styles.PERCENTILES[column.title])
            chart.add(scatter(series.column(0), times, column.title, hover, look))
    return chart


def distribution(series: Series) -> Chart:
    unit, factor = drawing.unit_of(series)
    chart = drawing.percentile_chart(series, unit)
    looks = (stroke(styles.GOOD), stroke("#ad8400", "dash"))
    for index, (column, look) in enumerate(zip(series.columns[1:], looks, strict=False), start=1):
        times = drawing.scaled(series.column(index), factor)
        hover = f"{column.title}: %{{customdata:.6~g}} % within %{{y:.4~g}} {unit}"
        look["customdata"] = series.column(0)
        chart.add(scatter(drawing.places(series), times, column.title, hover, look))
    return chart


def parts(series: Series, axis: str, *, scale: float = 1.0, unit: str = "") -> Chart:
    """Stacked areas of one figure by part of the system; beside them, as lines, what measures."""
    chart = blank(series, SECONDS, axis)
    for index, part in enumerate(series.facts["parts"], start=1):
        known = [(row[0], row[index] / scale) for row in series.rows if row[index] is not None]
        aside = part in styles.OF_MEASURING
        look = stroke(styles.PARTS.get(part, styles.OTHER_PART), "dash" if aside else "solid", 1.5)
        look["mode"] = "lines" if len(known) > 1 else "markers"  # one point makes no line
        if not aside:
            look["stackgroup"] = "parts"
        name = f"{part} (not stacked)" if aside else part
        hover = f"{part} %{{y:.4~g}}{unit}"
        seconds, values = [second for second, _ in known], [value for _, value in known]
        chart.add(scatter(seconds, values, name, hover, look))
    return chart


def cpu(series: Series) -> Chart:
    return parts(series, "CPUs busy", scale=100)


def memory(series: Series) -> Chart:
    return parts(series, "memory (MiB)", scale=2**20, unit=" MiB")


def processes(series: Series) -> Chart:
    return parts(series, "processes")


def connections(series: Series) -> Chart:
    """Stacked by state, under the line of the most that there can be."""
    chart = blank(series, SECONDS, "connections")
    seconds = series.column(0)
    for index, column in enumerate(series.columns[1:-1]):
        look = {**stroke(styles.COLOURS[index % len(styles.COLOURS)]), "stackgroup": "states"}
        hover = f"{drawing.escaped(column.title)} %{{y}}"
        chart.add(scatter(seconds, series.column(index + 1), column.title, hover, look))
    most = series.column(len(series.columns) - 1)
    chart.add(scatter(seconds, most, "limit", "%{y} at most", stroke(styles.BAD, "dash")))
    return chart
