"""What a monitor that has seen nothing says of itself."""

from benchsuite.load.job import Done
from benchsuite.runner.monitor import Monitor
from benchsuite.runner.running_system import RunningSystem


def test_what_was_not_seen_is_named_with_the_check_that_it_costs() -> None:
    monitor = Monitor(RunningSystem(), ())
    monitor.errors = ("target, Memory: PermissionError: no",)
    done = Done(
        origin=10.0,
        window=(11.0, 12.0),
        stopped=False,
        users=(),
        cpu_percent=None,
        lag_p99_s=None,
    )
    unwatched = monitor.unwatched(done)
    assert [word for text in unwatched for word in text.split() if word.startswith("(B")] == [
        "(B203)",
        "(B401)",
        "(B402)",
        "(B403)",
    ]
    assert unwatched[-1] == "target, Memory: PermissionError: no"
    assert monitor.probes(done.window, 0.1, None, None) is None
