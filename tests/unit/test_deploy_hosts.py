"""The samples for load hosts: their commands are ours, and their numbers fit each other."""

import pytest
import yaml
from django.core.management import load_command_class

from benchsuite.core.specs import LoadProfile
from benchsuite.management.options.parsing import read
from benchsuite.management.options.place import Place
from tests.samples import DEPLOY

HOSTS = DEPLOY / "hosts"


def read_options(words):
    """What a command of ours makes of its words; it refuses what it doesn't know."""
    assert words[:2] == ["python3", "manage.py"]
    words = [word.replace("$(POD_IP)", "10.0.0.5") for word in words]
    parser = load_command_class("benchsuite", words[2]).create_parser("manage.py", words[2])
    return vars(parser.parse_args(words[3:]))


def compose():
    sample = yaml.safe_load((HOSTS / "compose.yaml").read_text())
    bench, load = (sample["services"][name] for name in ("bench", "load"))
    key = HOSTS / sample["secrets"]["bench_key"]["file"].partition(":-")[2].rstrip("}")
    assert key.resolve().parent == DEPLOY.resolve().parent, "where --new-key bench.key writes it"
    number = int(bench["networks"]["bench"]["ipv4_address"].rpartition(".")[2])
    assert number > 2 + load["deploy"]["replicas"], "what Docker gives first is the replicas'"
    assert f"--bind={bench['networks']['bench']['ipv4_address']}" in bench["command"]
    assert bench["secrets"] == load["secrets"] == ["bench_key"]
    return bench["command"], load["command"], load["deploy"]["replicas"]


def kubernetes():
    service, bench, load = yaml.safe_load_all((HOSTS / "kubernetes.yaml").read_text())
    pods = [job["spec"]["template"] for job in (bench, load)]
    (ours,), (theirs,) = (pod["spec"]["containers"] for pod in pods)
    assert service["spec"]["selector"] == pods[0]["metadata"]["labels"]
    assert load["spec"]["parallelism"] == load["spec"]["completions"]
    for pod in pods:
        (volume,), (container,) = pod["spec"]["volumes"], pod["spec"]["containers"]
        assert [mount["name"] for mount in container["volumeMounts"]] == [volume["name"]]
        assert not volume["secret"]["defaultMode"] & 0o004, "a key that all can read is refused"
    assert service["spec"]["ports"][0]["port"] == 5557
    return ours["command"], theirs["command"], load["spec"]["parallelism"]


@pytest.mark.parametrize("sample", [compose, kubernetes])
def test_as_many_hosts_join_as_are_waited_for(sample):
    bench, load, replicas = sample()
    asked, joining = read_options(bench), read_options(load)
    place = read(Place, asked)
    assert asked["load_hosts"] == replicas
    assert joining["join"] == f"bench:{place.listen.rpartition(':')[2]}"
    assert joining["key_file"] == place.key_file
    assert LoadProfile(model="open", arrival_rate=asked["rate"], hosts=replicas).parts == replicas
