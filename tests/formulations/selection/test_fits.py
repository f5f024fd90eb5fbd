# SPDX-License-Identifier: BSD-3-Clause
"""Files of results: a later run goes on from them, and nothing proved is computed again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from formulations import LeastSquaresClassifier, MarginLossClassifier, SoftMargin
from formulations.losses import Hinge, SquaredHinge
from formulations.selection import cross_validate, grid, leave_one_out, path
from formulations.selection.fits import fingerprint
from model_data import overlapping
from qpkernels import RBF, Gram, Precomputed
from qpkernels.errors import DataFormatError, FileFormatError, ForeignResultsError, ParameterError
from qpkernels.families import batch
from qpkernels.problems import Certificate, Status

C, GAMMA = [0.1, 1.0, 10.0], [0.1, 1.0]


def stated(**settings: Any) -> SoftMargin:
    return SoftMargin(*overlapping(), RBF(0.5), **settings)


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how many machines each batch was given."""
    sizes: list[int] = []
    solve = batch.solve_batch

    def counted(gram: Gram, machines: Any, **options: Any) -> Any:
        sizes.append(len(machines))
        return solve(gram, machines, **options)

    monkeypatch.setattr(batch, "solve_batch", counted)
    return sizes


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_line_for_every_proved_fit(tmp_path: Path) -> None:
    file, model = tmp_path / "fits.jsonl", stated()
    found = grid(model, 3, C=C, gamma=GAMMA, store=file)
    assert found.status is Status.OPTIMAL
    written = lines(file)
    assert len(written) == 3 * len(C) * len(GAMMA)
    assert {line["data"] for line in written} == {fingerprint(model)}
    assert {(line["parameters"]["C"], line["kernel"]["gamma"]) for line in written} == {
        (c, g) for c in C for g in GAMMA
    }
    assert all(Certificate(**line["certificate"]).holds(line["tol"]) for line in written)


def test_a_rerun_computes_nothing_again(tmp_path: Path, trained: list[int]) -> None:
    file = tmp_path / "fits.jsonl"
    first = grid(stated(), 3, C=C, gamma=GAMMA, store=file)
    trained.clear()
    second = grid(stated(), 3, C=C, gamma=GAMMA, store=file, refit=False)
    assert sum(trained) == 0
    assert np.array_equal(first.scores, second.scores)
    assert all(fit is not None and fit.earlier for row in second.fits for fit in row)
    assert first.fits[1][2].certificate == second.fits[1][2].certificate
    assert len(lines(file)) == 18


def test_lines_that_name_the_modules_of_classes_are_read_wherever_these_are_now(tmp_path: Path) -> None:
    file, model = tmp_path / "fits.jsonl", MarginLossClassifier(*overlapping(), RBF(0.5), loss=SquaredHinge())
    first = cross_validate(model, 3, store=file)
    text = file.read_text()
    names = {
        '"formulations.MarginLossClassifier"': '"formulations.models.classification.elsewhere.MarginLossClassifier"',
        '"formulations.SquaredHinge"': '"formulations.losses.elsewhere.SquaredHinge"',
    }
    for now, before in names.items():
        assert text.count(now) == 3
        text = text.replace(now, before)
    file.write_text(text)
    second = cross_validate(model, 3, store=file)
    assert all(fit.earlier for fit in second.fits)
    assert np.array_equal(first.scores, second.scores)


def test_what_was_killed_goes_on_behind_a_line_cut_short(tmp_path: Path, trained: list[int]) -> None:
    file = tmp_path / "fits.jsonl"
    expected = grid(stated(), 3, C=C, gamma=GAMMA, store=file)
    content = file.read_bytes()
    ends = [k for k, byte in enumerate(content) if byte == ord("\n")]
    for cut in (ends[6] + 40, ends[6] + 1, ends[17]):
        file.write_bytes(content[:cut])
        trained.clear()
        found = grid(stated(), 3, C=C, gamma=GAMMA, store=file, refit=False)
        assert sum(trained) == (11 if cut != ends[17] else 1)
        assert found.scores == pytest.approx(expected.scores)
        assert len(lines(file)) == 18
    file.write_bytes(content[:5])
    grid(stated(), 3, C=C, gamma=GAMMA, store=file)
    assert len(lines(file)) == 18


def test_a_run_that_is_interrupted_keeps_what_is_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, solve = tmp_path / "fits.jsonl", batch.solve_batch

    def interrupted(gram: Gram, machines: Any, *, report: Any, **options: Any) -> Any:
        def told(number: int, answer: Any) -> None:
            report(number, answer)
            if number == 1:
                raise KeyboardInterrupt

        return solve(gram, machines, report=told, **options)

    monkeypatch.setattr(batch, "solve_batch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cross_validate(stated(), 5, store=file, n_jobs=1)
    assert len(lines(file)) >= 2
    monkeypatch.setattr(batch, "solve_batch", solve)
    earlier = [fit.earlier for fit in cross_validate(stated(), 5, store=file).fits]
    assert sum(earlier) >= 2


def test_only_what_the_certificate_meets_is_taken(tmp_path: Path, trained: list[int]) -> None:
    file, model = tmp_path / "fits.jsonl", stated(C=10.0)
    cross_validate(model, 3, tol=1e-2, store=file)
    loose = lines(file)
    for line in loose:
        line["certificate"]["relative_gap"] = 5e-3
    file.write_text("".join(json.dumps(line) + "\n" for line in loose))
    trained.clear()
    sharp = cross_validate(model, 3, tol=1e-12, store=file)
    assert sum(trained) == 3
    assert all(fit.certificate.holds(1e-12) for fit in sharp.fits)
    for tol in (1e-2, 1e-4):
        trained.clear()
        cross_validate(model, 3, tol=tol, store=file)
        assert sum(trained) == 0


def test_what_is_not_proved_is_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "fits.jsonl"
    cross_validate(stated(C=100.0), 3, tol=1e-9, store=file, max_iter=1)
    assert not file.exists()


def test_fits_of_one_file_differ_by_model_kernel_numbers_and_samples(tmp_path: Path, trained: list[int]) -> None:
    file, (X, y) = tmp_path / "fits.jsonl", overlapping()
    K = RBF(0.5)(X)
    runs = [
        lambda: cross_validate(stated(), 3, store=file),
        lambda: cross_validate(stated(), 4, store=file),
        lambda: cross_validate(stated(C=2.0), 3, store=file),
        lambda: cross_validate(stated(C=np.linspace(1, 2, 30)), 3, store=file),
        lambda: cross_validate(SoftMargin(X, y, RBF(0.6)), 3, store=file),
        lambda: cross_validate(SoftMargin(X, y, RBF(0.5), fit_intercept=False), 3, store=file),
        lambda: path(stated(), C=[1.0, 3.0], store=file),
    ]
    for run in runs:
        before = len(lines(file)) if file.exists() else 0
        trained.clear()
        run()
        assert sum(trained) == len(lines(file)) - before > 0
    for run in runs:
        trained.clear()
        run()
        assert sum(trained) == 0
    size = len(lines(file))
    for loss in (Hinge(), SquaredHinge()):
        cross_validate(MarginLossClassifier(X, y, RBF(0.5), loss=loss), 3, store=file)
    cross_validate(LeastSquaresClassifier(X, y, RBF(0.5)), 3, store=file)
    assert len(lines(file)) == size + 9
    other = tmp_path / "precomputed.jsonl"
    cross_validate(SoftMargin(np.arange(30), y, Precomputed(K)), 3, store=other)
    trained.clear()
    cross_validate(SoftMargin(np.arange(30), y, Precomputed(K @ K)), 3, store=other)
    assert sum(trained) == 3


def test_the_solution_of_an_earlier_fit_is_solved_when_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "fits.jsonl"
    first = cross_validate(stated(), 3, store=file)
    second = cross_validate(stated(), 3, store=file)
    assert second.fits[0].earlier
    assert second.solutions[0].objective == pytest.approx(first.solutions[0].objective, rel=2e-3)
    assert second.decision.tolist() == first.decision.tolist()


def test_leave_one_out_goes_on(tmp_path: Path, trained: list[int]) -> None:
    file = tmp_path / "fits.jsonl"
    first = leave_one_out(stated(), store=file)
    trained.clear()
    second = leave_one_out(stated(), store=file)
    assert sum(trained) == 1  # the fit of all samples, from which the others would start
    assert np.array_equal(first.decision, second.decision)


@pytest.mark.parametrize("change", ["X", "y", "labels", "order"])
def test_a_file_of_other_data(tmp_path: Path, change: str) -> None:
    file, (X, y) = tmp_path / "fits.jsonl", overlapping()
    cross_validate(SoftMargin(X, y), 3, store=file)
    before = file.read_bytes()
    others = {
        "X": (X + 1e-12, y),
        "y": (X, np.where(np.arange(30) == 4, -y, y)),
        "labels": (X, np.where(y > 0, "a", "b")),
        "order": (X[::-1], y[::-1]),
    }
    other = SoftMargin(*others[change])
    with pytest.raises(ForeignResultsError) as caught:
        cross_validate(other, 3, store=file)
    assert caught.value.expected == fingerprint(other)
    assert caught.value.found == fingerprint(SoftMargin(X, y))
    assert caught.value.expected in str(caught.value)
    assert caught.value.found[:20] in str(caught.value)
    assert file.read_bytes() == before


def test_sparse_samples_have_a_fingerprint_of_their_own() -> None:
    X, y = overlapping()
    sparse = SoftMargin(csr_array(X), y, RBF(0.5))
    assert fingerprint(sparse) == fingerprint(sparse.copy())
    assert fingerprint(sparse) != fingerprint(SoftMargin(csr_array(2 * X), y, RBF(0.5)))


@pytest.mark.parametrize("line", ["{}", "nonsense", '{"data": 1}', "[]", "\x00\xff"])
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "fits.jsonl"
    cross_validate(stated(), 3, store=file)
    first, *rest = file.read_text().splitlines()
    file.write_text("\n".join([first, line, *rest]) + "\n")
    with pytest.raises(DataFormatError, match=r"line 2 of .* is no result") as caught:
        cross_validate(stated(), 3, store=file)
    assert caught.value.line == 2


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "thesis.txt"
    file.write_text("It was a dark and stormy night")
    with pytest.raises(FileFormatError, match="holds no results"):
        cross_validate(stated(), 3, store=file)
    assert file.read_text() == "It was a dark and stormy night"


def test_a_kernel_that_no_file_tells_from_others(tmp_path: Path) -> None:
    X, y = overlapping()
    model = SoftMargin(X, y, RBF(0.5).compose(lambda X: X**2))
    cross_validate(model, 3)
    with pytest.raises(ParameterError, match="a file cannot hold"):
        cross_validate(model, 3, store=tmp_path / "fits.jsonl")
