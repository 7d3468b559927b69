"""When the API answers which call, and how."""

from benchsuite.services.api_program import Api


def test_without_a_stall_each_call_takes_its_own_time() -> None:
    assert Api(0.0, 0.0, 0.0).due(5.0, 0.2) == 5.2
    assert Api(0.0, 10.0, 2.0).due(11.0, 0.2) == 11.2, "the load has not begun yet"


def test_a_stall_holds_back_what_is_due_in_it_and_what_comes_in_it() -> None:
    api = Api(0.0, 10.0, 2.0, begun_at=100.0)
    moments = {(109.0, 0.5): 109.5, (109.8, 0.5): 112.0, (111.0, 0.5): 112.5, (112.0, 0.5): 112.5}
    assert {call: api.due(*call) for call in moments} == moments
    assert api.due(109.0, 5.0) == 114.0, "a call that is under way throughout is not held back"


def test_the_share_of_failures_is_exact() -> None:
    for share, failed in ((0.0, 0), (0.05, 50), (1 / 3, 333), (1.0, 1000)):
        api = Api(share, 0.0, 0.0)
        assert sum(api.fails() for _ in range(1000)) in (failed, failed + 1)
