"""How many CPUs a front can use at once."""

from pathlib import Path

from benchsuite.fronts.haproxy import Haproxy
from benchsuite.fronts.nginx import Nginx
from benchsuite.fronts.swarm import Swarm


def test_it_is_what_the_option_says() -> None:
    assert Nginx({}).parallel == 1
    assert Nginx({"processes": 3}).parallel == 3
    assert Haproxy({"threads": 4}).parallel == 4


def test_a_configuration_of_the_users_own_may_say_something_else(tmp_path: Path) -> None:
    own = tmp_path / "nginx.conf"
    own.touch()
    assert Nginx({"config": str(own)}).parallel is None


def test_what_runs_the_instances_is_not_known() -> None:
    assert Swarm({"image": "shop"}).parallel is None
