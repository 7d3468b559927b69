"""One configuration on several numbers of CPUs, and what is said of others."""

import random
from dataclasses import replace

from benchmarks.tuning.ideal import Ideal, driven, going
from benchmarks.tuning.simulated import candidate
from benchsuite.core.plain import plain, read
from benchsuite.core.specs.objective import parse
from benchsuite.tuning.answer import Outcome
from benchsuite.tuning.notebook import End, Entry, Notebook, State
from benchsuite.tuning.search import Search
from benchsuite.tuning.trial import Phase, Question

OBJECTIVE = parse("p95 < 200ms")


def on(*counts):
    return tuple(replace(candidate("gthread", one, 4), cpus=one) for one in counts)


def asks(counts, **more):
    given = {"unshared": max(counts), "budget_s": 480.0 * len(counts), **more}
    return Question(objective=OBJECTIVE, cpus=max(counts), scaling=on(*counts), **given)


def search(question):
    return Search(Notebook(question), lambda _: [])


def usl(one):
    cpus = one.cpus or 1
    return 80.0 * cpus / (1 + 0.05 * (cpus - 1) + 0.002 * cpus * (cpus - 1))


def noisy(seed, spread=0.02):
    generator = random.Random(seed)
    return lambda one: usl(one) * generator.lognormvariate(0.0, spread)


def scaled(question, spoil=None, seed=1):
    measure = Ideal(OBJECTIVE, noisy(seed), spoil=spoil)
    return Outcome(driven(search(question), measure))


def test_each_number_of_cpus_is_confirmed_and_the_curve_goes_on_to_twice_as_many():
    told = scaled(asks((1, 2, 3, 4)))
    assert told.end is End.CONFIRMED
    assert told.pick is None
    assert [row.candidate.cpus for row in told.rows] == [1, 2, 3, 4]
    for row in told.rows:
        truth = usl(row.candidate)
        assert 0.82 * truth < row.rate <= 1.02 * truth
        assert 0.97 * row.low < truth < 1.03 * row.high
        assert row.state is State.MEASURED
        assert row.why == ""
    assert len(told.scaling.law.rates) == 8
    said = " ".join(told.sentences)
    assert told.sentences[0].startswith("gthread holds ")
    assert "/s on 1 CPU (1×4), " in told.sentences[0]
    assert " in fresh runs of " in told.sentences[0]
    assert "Extrapolated, and never measured: 8 CPUs would just hold about " in said
    assert "if processes grow alike and nothing else binds" in said


def test_each_is_measured_as_if_it_were_asked_alone():
    question = asks((1, 2))
    notebook = driven(search(question), Ideal(OBJECTIVE, usl))
    for one in question.scaling:
        phases = [entry.trial.phase for entry in notebook.of(one)]
        assert phases.count(Phase.PROBE) == 2
        assert phases.count(Phase.BISECT) >= 6
        assert phases.count(Phase.CONFIRM) >= 6
    assert notebook.spent_s <= question.budget_s


def test_two_numbers_make_no_curve_and_it_says_why():
    told = scaled(asks((1, 2)))
    assert told.scaling.law is None
    assert told.sentences[-1].startswith("No curve goes through these rates: it takes 4 numbers")
    assert "and there are 2." in told.sentences[-1]


def test_cpus_that_the_load_generator_uses_too_say_so_and_make_no_curve():
    told = scaled(asks((1, 2, 3, 4), unshared=3))
    assert told.scaling.shared == (4,)
    assert told.scaling.law is None
    assert any("Of 4 CPUs the load generator used some, too" in one for one in told.sentences)
    assert "and there are 3." in told.sentences[-1]


def test_where_the_load_generator_was_the_limit_it_is_at_least_that():
    def spoil(trial, seen):
        if trial.candidate.cpus != 4 or not trial.load.rates:
            return seen
        held = [level for level in seen.levels if level.met[0] >= 0.95 * level.planned]
        return replace(seen, levels=held, limit=("B101",))

    told = scaled(asks((1, 2, 3, 4)), spoil)
    assert "at least " in told.sentences[0]
    assert "The load generator was the limit on 4 CPUs, not the server." in told.sentences
    assert told.scaling.law is None


def test_one_that_holds_nothing_does_not_keep_the_others_from_being_told():
    def spoil(trial, seen):
        return replace(seen, levels=(), failure="no memory") if trial.candidate.cpus == 2 else seen

    told = scaled(asks((1, 2, 3)), spoil)
    assert told.end is End.NOT_CONFIRMED
    assert [row.state for row in told.rows] == [State.MEASURED, State.DISCARDED, State.MEASURED]
    assert "On 2 CPUs (2×4): 2 of its 2 runs failed: no memory." in told.sentences
    assert told.sentences[0].startswith("gthread holds ")


def test_where_nothing_holds_it_says_what_one_user_gets():
    question = asks((1, 2))
    slow = Ideal(OBJECTIVE, usl, response_s=0.3)
    told = Outcome(driven(search(question), slow))
    assert told.end is End.NOTHING_HOLDS
    assert told.sentences == ("Nothing holds p95 < 200ms: one user alone takes 300\u2009ms.",)


def test_cut_after_any_trial_it_goes_on_the_same():
    question = asks((1, 2, 3), seed=4)
    measure = Ideal(OBJECTIVE, usl)
    whole = list(going(search(question), measure))
    end = Outcome(driven(search(question), measure))
    assert {trial.candidate for trial, _ in whole} == set(question.scaling)
    for cut in range(0, len(whole) + 1, 3):
        searching = search(question).after([Entry(*one) for one in whole[:cut]])
        stored = read(Notebook, plain(searching.notebook))
        assert Outcome(stored).sentences == Outcome(searching.notebook).sentences != ()
        for expected, seen in whole[cut:]:
            assert searching.next == expected
            searching.tell(seen)
        assert searching.next is None
        assert Outcome(searching.notebook) == end


def cautions(cpus, for_cpus):
    sizes = [candidate("gthread", cpus, 4), candidate("gthread", cpus + 1, 4)]
    question = Question(objective=OBJECTIVE, cpus=cpus, for_cpus=for_cpus)
    searching = Search(Notebook(question), lambda _: sizes)
    return Outcome(driven(searching, Ideal(OBJECTIVE, lambda _: 70.0 * cpus))).cautions


def test_other_numbers_of_cpus_get_a_bound_and_no_rate(golden):
    golden.cases(cautions)
