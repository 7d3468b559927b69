"""What goes over the pipes comes out as it went in."""

import json

from benchsuite.core.plain import plain, read
from benchsuite.core.results import Traffic
from benchsuite.core.specs import LoadProfile, WorkloadSpec
from benchsuite.load.job import Done, Job


def test_a_job_survives_the_pipe():
    job = Job(
        base_url="http://127.0.0.1:8000",
        run_header="token",
        workload_class="shop.bench.Checkout",
        workload=WorkloadSpec(workload="checkout", options={"size": 3}),
        load=LoadProfile(users=7, spawn_rate=2.5, drain_s=1.0),
        spool="/tmp/spool",
        cookies={"sessionid": "x"},
        seed=4,
    )
    assert read(Job, json.loads(json.dumps(plain(job)))) == job


def test_an_end_survives_the_pipe():
    done = Done(
        origin=1.5,
        window=(2.0, 3.25),
        stopped=True,
        users=((2.0, 1), (3.0, 2)),
        cpu_percent=None,
        lag_p99_s=0.00012,
        sent=(3,),
        connections=((2.0, 7),),
        traffic=Traffic(sent_bytes=9),
    )
    assert read(Done, json.loads(json.dumps(plain(done)))) == done
