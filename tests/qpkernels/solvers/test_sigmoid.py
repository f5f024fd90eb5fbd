# SPDX-License-Identifier: BSD-3-Clause
"""Newton's method for a sigmoid over scores: from anywhere, to the last digit, and how it ends."""

import numpy as np
import pytest

from qpkernels.problems import SigmoidFit
from qpkernels.solvers import Claim, Outcome, Request, find_solver
from qpkernels.solvers import sigmoid as module


def fitted(scores: list[float], targets: list[float], **options: object) -> Outcome:
    return find_solver("newton").solve(SigmoidFit(np.array(scores), np.array(targets)), **options)  # type: ignore[arg-type]


def test_two_scores_meet_their_targets_exactly() -> None:
    """With as many numbers as scores, p_i = t_i."""
    A, B = fitted([0.0, 2.0], [0.25, 0.9]).point
    np.testing.assert_allclose([B, 2 * A + B], [np.log(0.25 / 0.75), np.log(0.9 / 0.1)], rtol=1e-15)


@pytest.mark.parametrize("distance", [1e-3, 1e-9, 1e-30, 1e-100])
def test_scores_of_two_scales_need_few_steps(distance: float) -> None:
    """Two samples near the threshold decide A, which is of the size 1 / distance."""
    scores = [1.0] * 40 + [-1.0] * 40 + [distance, -distance, 2 * distance, -3 * distance]
    answer = fitted(scores, [1.0] * 40 + [0.0] * 40 + [0.0, 1.0, 1.0, 0.0])
    assert answer.claim is Claim.OPTIMAL
    assert answer.iterations is not None
    assert answer.iterations < 400
    if distance <= 1e-9:
        # The far ones have nothing left to say: p_i sums up over the near ones alone.
        p = 1 / (1 + np.exp(-answer.point[0] * np.array(scores[80:]) - answer.point[1]))
        np.testing.assert_allclose([p.sum(), p @ [1, -1, 2, -3]], [2.0, 1.0], rtol=1e-12)


def test_an_outlier_on_the_wrong_side_is_no_obstacle() -> None:
    scores = [*np.linspace(-2.0, 2.0, 50).tolist(), 1e7]
    targets = [float(score > 0.1) for score in scores[:-1]]
    targets[20] = 1.0
    answer = fitted(scores, [*targets, 0.0])
    assert answer.claim is Claim.OPTIMAL
    program = SigmoidFit(np.array(scores), np.array([*targets, 0.0]))
    assert module._decrement(program.in_unit.at(*answer.point.tolist())) < 1e-12


def test_it_says_how_it_ended(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "qpkernels")
    scores, targets = [-2.0, -1.0, 0.5, 1.0, 3.0], [0.0, 1.0, 0.0, 1.0, 1.0]
    assert fitted(scores, targets, verbose=True).claim is Claim.OPTIMAL
    assert "newton:   1, step 1.0e+00, decrement" in caplog.text
    limited = fitted(scores, targets, max_iter=1)
    assert (limited.claim, limited.iterations) == (Claim.STOPPED, 1)
    assert limited.message.startswith("limit of iterations; ")
    late = fitted(scores, targets, time_limit=1e-9)
    assert (late.claim, late.message[:14]) == (Claim.STOPPED, "limit of time;")


def test_the_user_may_interrupt_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_newton_step", interrupted)
    answer = fitted([-2.0, -1.0, 0.5, 1.0], [0.0, 1.0, 0.0, 1.0])
    assert (answer.claim, answer.point.tolist()) == (Claim.INTERRUPTED, [0.0, 0.0])


def test_fits_of_several_sizes_end_together_as_each_does_alone() -> None:
    """Among them one that needs many steps, one of equal scores, one beyond float64, and one that is much larger."""
    rng = np.random.default_rng(0)
    programs = []
    for size in (30, 37, 59, 700):
        scores = rng.normal(size=size)
        programs.append(SigmoidFit(scores, (scores + rng.normal(size=size) > 0.0).astype(float)))
    near = [1.0] * 20 + [-1.0] * 20 + [1e-9, -1e-9, 2e-9, -3e-9]
    programs.append(SigmoidFit(np.array(near), np.array([1.0] * 20 + [0.0] * 20 + [0.0, 1.0, 1.0, 0.0])))
    programs.append(SigmoidFit(np.full(31, 2.0), np.arange(31) % 3 / 2.0))
    programs.append(SigmoidFit(1e-310 * programs[0].scores, programs[0].targets))
    request = Request(1e-6)
    together, alone = module.fit_sigmoids(programs, request), [module.fit_sigmoids([p], request)[0] for p in programs]
    assert [answer.claim for answer in together] == [Claim.OPTIMAL] * 6 + [Claim.FAILED]
    for one, other in zip(together[:-1], alone, strict=False):
        np.testing.assert_allclose(one.point, other.point, rtol=1e-12, atol=1e-14)
    assert together[5].point[0] == 0.0
    assert "beyond the largest number" in together[6].message
