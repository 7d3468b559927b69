"""What a measured server finds in its environment."""

from pathlib import Path

from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.runner.planning import resolve
from benchsuite.runner.process_environment import MOST_PADDING, process_environment

UVICORN = resolve(RunSpec(server=ServerSpec(server="uvicorn"))).server


def made(seed: int = 1) -> dict[str, str]:
    return process_environment(
        UVICORN, token="feed", instructions=Path("/run/instructions.json"), seed=seed
    )


def test_it_opens_the_target_and_loads_the_isolated_settings() -> None:
    env = made()
    assert env["BENCHSUITE_RUN"] == "feed"
    assert env["BENCHSUITE_INSTRUCTIONS"] == "/run/instructions.json"
    assert env["DJANGO_SETTINGS_MODULE"] == "benchsuite.isolation.settings"


def test_the_users_variables_stand_above_the_servers_own() -> None:
    tornado = resolve(RunSpec(server=ServerSpec(server="tornado", threads=1))).server
    own = "DJANGO_ALLOW_ASYNC_UNSAFE"
    for variables in ({}, {own: "0", "MALLOC_ARENA_MAX": "2"}):
        env = process_environment(
            tornado, token="feed", instructions=None, seed=1, variables=variables
        )
        assert env.items() >= {own: "true", **variables}.items()


def test_each_start_varies_hash_seed_and_size_and_repeats_them_by_seed() -> None:
    assert made(1) == made(1)
    sizes = {len(made(seed)["BENCHSUITE_PADDING"]) for seed in range(20)}
    hashes = {made(seed)["PYTHONHASHSEED"] for seed in range(20)}
    assert len(sizes) > 15
    assert len(hashes) == 20
    assert max(sizes) < MOST_PADDING
    assert all(0 <= int(one) < 2**32 for one in hashes)
