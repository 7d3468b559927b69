from benchsuite.system.procfs import Stat
from benchsuite.telemetry.base import Device, Snapshot
from benchsuite.telemetry.devices import Counts
from benchsuite.telemetry.sampler import DEVICES


def test_processes_and_threads():
    stats = tuple(Stat(pid, "S", 1, 1, 0, 0, threads, 1) for pid, threads in ((5, 1), (6, 8)))
    assert Counts().sample(Snapshot(at=1, stats=stats)) == {"processes": 2, "threads": 9}
    assert Counts().sample(Snapshot(at=1, stats=())) == {"processes": 0, "threads": 0}


def test_every_device_states_its_cost():
    for device in DEVICES:
        assert issubclass(device, Device)
        assert device.cost
