"""Where runs are made: what `--load-hosts` needs, and what contradicts it."""

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import DelaySpec, LoadProfile, RunSpec, ServerSpec
from benchsuite.load.hosts import keys
from benchsuite.management.options.place import Place


@pytest.fixture
def listening(tmp_path):
    keys.write_new(tmp_path / "key")
    return {"listen": "127.0.0.1:5557", "key_file": str(tmp_path / "key")}


def a_run(**load):
    return RunSpec(server=ServerSpec(server="uvicorn"), load=LoadProfile(**load))


def test_hosts_that_may_join_are_told_where(listening):
    place = Place(**listening, bind="10.0.0.1")
    place.check_runs([a_run(hosts=2)])
    assert place.listening.port == 5557
    Place().check_runs([a_run()])
    assert Place().listening is None


def test_hosts_need_where_and_by_which_key(listening):
    with pytest.raises(UsageError, match="needs --listen and --key-file"):
        Place().check_runs([a_run(hosts=2)])
    for alone in ("listen", "agent"):
        with pytest.raises(UsageError, match="give --key-file with one of them, or none"):
            Place(**{alone: "127.0.0.1:5557"})
    with pytest.raises(UsageError, match="--agent watches what already runs"):
        Place(agent="127.0.0.1:5557", key_file=listening["key_file"]).check_runs([a_run()])
    with pytest.raises(UsageError, match="say how many by --load-hosts"):
        Place(**listening).check_runs([a_run()])


@pytest.mark.parametrize("address", ["", "here", "0.0.0.0", "::1", "10.0.0.256"])
def test_servers_are_bound_to_an_address_that_others_can_be_told(address):
    with pytest.raises(UsageError, match="is no address of one machine"):
        Place(bind=address)


def test_a_proxy_on_the_loopback_is_not_reached_by_others(listening):
    run = RunSpec(server=ServerSpec(server="uvicorn"), delay=DelaySpec(to_clients_s=0.1))
    with pytest.raises(UsageError, match="--delay-to-clients puts a proxy"):
        Place(bind="10.0.0.1").check_runs([run])


def test_hosts_and_processes_share_users():
    assert a_run(users=4, hosts=2, processes=2).load.parts == 4
    with pytest.raises(UsageError, match="--load-hosts=2 with --load-processes=2 can't share 3"):
        a_run(users=3, hosts=2, processes=2)
