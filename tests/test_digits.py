# SPDX-License-Identifier: BSD-3-Clause
"""The protocols of digits: what they train, and that the page says what the record holds. No time is asserted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import Perceptron as Peer
from sklearn.svm import SVC

from benchmarks import digits
from benchmarks.digits import MACHINE, PERCEPTRON, PUBLISHED, Images, Protocol, Record, main, measure, page

DOCS = Path(__file__).parent.parent / "docs" / "performance"
RECORD = Record.read(DOCS / "digits.json")


def images(samples: int = 300) -> Images:
    """Return small images of every digit, between -1 and 1."""
    X, y = load_digits(return_X_y=True)
    X = X / 8.0 - 1.0
    return Images(X[:samples], y[:samples], X[-200:], y[-200:])


def test_machines_err_as_those_of_a_peer_do() -> None:
    some = images()
    for C in digits.COSTS:
        (run,) = measure([Protocol(MACHINE, "-1 to 1", "exp(-1 q)", digits.ONE, C=C)], some)
        peer = SVC(C=C, gamma=1.0 / (64 * float(some.X.var())), tol=1e-6).fit(some.X, some.y)
        assert run.ended
        assert run.error == pytest.approx(100 * np.mean(peer.predict(some.X_test) != some.y_test), abs=0.6)


def test_linear_perceptrons_err_as_those_of_a_peer_do() -> None:
    # With p + 1 the coordinates are (x / sqrt(s), sqrt(2)): the constant of the kernel, and that of the perceptron.
    some = images()
    scale = np.sqrt(np.mean(some.X**2) * 64)
    fit, test = (np.column_stack([X / scale, np.full(len(X), np.sqrt(2.0))]) for X in (some.X, some.X_test))
    peer = Peer(fit_intercept=False, shuffle=False, max_iter=3, tol=None, eta0=1.0).fit(fit, some.y)
    (run,) = measure([Protocol(PERCEPTRON, "-1 to 1", "p + 1", digits.REST, "as distributed", 3)], some)
    assert run.error == pytest.approx(100 * np.mean(peer.predict(test) != some.y_test))


@pytest.mark.parametrize("scaling", digits.SCALINGS)
def test_every_scaling_trains_both_kinds_of_machines(scaling: str) -> None:
    wanted = [
        *(
            Protocol(PERCEPTRON, scaling, "(p + 1)^3", rule, "shuffled, seed 0", 10)
            for rule in (digits.REST, digits.ONE)
        ),
        *(Protocol(MACHINE, scaling, "p^2", rule, C=10.0) for rule in (digits.REST, digits.ONE)),
    ]
    runs = list(measure(wanted, images()))
    assert [run.protocol for run in runs] == wanted
    assert all(0 < run.error < 25 for run in runs)


def test_a_third_is_held_out() -> None:
    some = images()
    held = some.held_out()
    assert (len(held.y), len(held.y_test)) == (200, 100)
    parted = np.concatenate([held.X, held.X_test])
    assert np.array_equal(parted[np.lexsort(parted.T)], some.X[np.lexsort(some.X.T)])


def test_the_page_is_that_of_the_record() -> None:
    assert (DOCS / "digits.md").read_text(encoding="utf-8") == page(RECORD)


def test_the_record_has_every_protocol() -> None:
    assert [run.protocol for run in RECORD.tests] == digits.protocols()
    assert [run.protocol for run in RECORD.held] == digits.candidates()
    assert all(run.ended for run in RECORD.tests if run.protocol.machine == MACHINE)


@pytest.mark.parametrize("machine", PUBLISHED)
def test_protocols_lie_on_both_sides_of_the_published_error(machine: str) -> None:
    errors = [run.error for run in RECORD.tests if run.protocol.machine == machine]
    assert min(errors) <= PUBLISHED[machine] < max(errors)
    assert f"| {min(errors):.2f} % | {median(errors):.2f} % | {max(errors):.2f} % |" in page(RECORD)


def test_machines_reach_the_published_error_with_degrees_4_and_5_of_smoothed_pixels_only() -> None:
    reaching = [run for run in RECORD.tests if run.protocol.machine == MACHINE and run.error <= PUBLISHED[MACHINE]]
    assert {(run.protocol.scaling, run.protocol.kernel[-1]) for run in reaching} <= {
        ("smoothed", "4"),
        ("smoothed", "5"),
    }


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    RECORD.write(tmp_path / "record.json")
    assert (tmp_path / "record.json").read_bytes() == (DOCS / "digits.json").read_bytes()


def test_the_table_has_what_the_images_held_out_choose() -> None:
    best = RECORD.table()[-1].protocol
    worse = tuple(replace(run, error=99.0) if run.protocol == best else run for run in RECORD.held)
    assert replace(RECORD, held=worse).table()[-1].protocol != best


def test_the_command_writes_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = images(100)
    milli = {"X_train_milli": some.X, "X_test_milli": some.X_test}
    milli = {name: np.round(1000 * X).astype(np.int16) for name, X in milli.items()}
    np.savez(tmp_path / "usps.npz", y_train=some.y, y_test=some.y_test, **milli)
    for name in ("SCALINGS", "ORDERS"):
        monkeypatch.setattr(digits, name, dict(list(getattr(digits, name).items())[:1]))
    monkeypatch.setattr(digits, "COSTS", (10.0,))
    monkeypatch.setattr(digits, "EPOCHS", (100,))
    main(["--data", str(tmp_path), "--out", str(tmp_path)])
    written = Record.read(tmp_path / "digits.json")
    assert (tmp_path / "digits.md").read_text(encoding="utf-8") == page(written)
    assert len(written.tests) == 9 * 2 + 12 * 2
