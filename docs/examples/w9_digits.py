# SPDX-License-Identifier: BSD-3-Clause
r"""W9. How well are handwritten digits read? The published test errors beside ours.

Ten classes from machines of two (C6): one against the rest decides for argmax_k g_k(x), one against one by votes. The
machines are perceptrons (B2) and soft margins (C2) with a Gaussian kernel k(x, z) = exp(-gamma ||x - z||^2).

gamma and C are chosen on a third of the training images, held out at random; the test images are looked at once, at the
end. On USPS (7291 training and 2007 test images of 16 x 16 pixels) the published test errors are 2.7 % for human
readers, 5.9 % for the perceptron and 4.0 % for the support vector machine.

    python docs/examples/w9_digits.py --data FOLDER

FOLDER holds zip.train.gz and zip.test.gz of "The Elements of Statistical Learning", or usps.npz with the same numbers
in thousandths. Without it the digits of scikit-learn (8 x 8 pixels) stand in, for which nothing is published here.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from figures import picture
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits

from formulations import OneVersusOne, OneVersusRest, Perceptron
from formulations.displays.style import BLUE, GREEN, VERMILLION
from qpkernels import RBF, Gram, Kernel, Linear, Polynomial
from qpkernels.certificates import Status

PUBLISHED = {"human readers": 2.7, "perceptron": 5.9, "support vector machine": 4.0}
WIDTHS = (0.5, 1.0, 2.0)
COSTS = (2.0, 10.0)
TILES = (4, 6)
CUBIC = Polynomial(degree=3, gamma=1.0 / 256.0, coef0=1.0)


@dataclass(frozen=True, eq=False)
class Digits:
    """Images as rows, their labels, and whether they are USPS."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    usps: bool

    def error(self, predicted: np.ndarray) -> float:
        """Return the share of wrong test labels in per cent."""
        return 100.0 * float(np.mean(predicted != self.y_test))


def load(folder: Path | None) -> Digits:
    """Return USPS from a folder, or the digits of scikit-learn."""
    if folder is None:
        X, y = load_digits(return_X_y=True)
        X = X / 8.0 - 1.0
        return Digits(X[:1200], y[:1200], X[1200:], y[1200:], usps=False)
    if (folder / "usps.npz").is_file():
        with np.load(folder / "usps.npz") as file:
            X, X_test = file["X_train_milli"] / 1000.0, file["X_test_milli"] / 1000.0
            return Digits(X, file["y_train"].astype(int), X_test, file["y_test"].astype(int), usps=True)
    train, test = (np.loadtxt(folder / f"zip.{part}.gz") for part in ("train", "test"))
    return Digits(train[:, 1:], train[:, 0].astype(int), test[:, 1:], test[:, 0].astype(int), usps=True)


def perceptrons(digits: Digits, kernel: Kernel, epochs: int) -> np.ndarray:
    """Return the labels that ten perceptrons, each one digit against the rest, decide for on the test images."""
    gram = Gram(kernel, digits.X)
    machines = [Perceptron(gram, digits.y == digit).solve(max_epochs=epochs) for digit in range(10)]
    return np.argmax([machine.function(digits.X_test) for machine in machines], axis=0)


def choose(digits: Digits) -> tuple[Kernel, float, float]:
    """Return the kernel and the C with the least error on a third of the training images, and that error."""
    order = np.random.default_rng(0).permutation(len(digits.y))
    fit, held = order[: 2 * len(order) // 3], order[2 * len(order) // 3 :]
    unit = 1.0 / (digits.X.shape[1] * float(digits.X.var()))
    best: tuple[float, Kernel, float] | None = None
    for kernel in (RBF(width * unit) for width in WIDTHS):
        gram = Gram(kernel, digits.X[fit])
        for C in COSTS:
            solution = OneVersusRest(gram, digits.y[fit], C=C).solve("smo", tol=1e-4)
            error = 100.0 * float(np.mean(solution.predict(digits.X[held]) != digits.y[held]))
            if best is None or error < best[0]:
                best = (error, kernel, C)
    assert best is not None
    return best[1], best[2], best[0]


def machines(digits: Digits, kernel: Kernel, C: float) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield each classifier: its row of the published table, what it is, and its labels of the test images."""
    yield "perceptron", "linear", perceptrons(digits, Linear(), 100)
    yield "perceptron", "cubic kernel", perceptrons(digits, CUBIC, 100)
    for scheme in (OneVersusRest, OneVersusOne):
        solution = scheme(digits.X, digits.y, kernel, C=C).solve("smo", tol=1e-4)
        assert solution.status is Status.OPTIMAL
        yield "support vector machine", solution.formulation, solution.predict(digits.X_test)


def draw(digits: Digits, rows: list[tuple[str, str, np.ndarray]], folder: Path) -> None:
    """Draw the errors as bars, and as many of the test images that the last classifier gets wrong as fill rows."""
    wrong = np.flatnonzero(rows[-1][2] != digits.y_test)
    down, across = TILES
    across = max(1, min(across, wrong.size // down))
    sizes = {"gridspec_kw": {"width_ratios": [5, 4 * across / down]}}
    with picture(folder / "w9_digits.png", 2, width=4.4 + 0.3 * across, height=4.0, **sizes) as (bars, images):
        names = [f"{row}\n{what}" for row, what, _ in rows]
        bars.barh(names, [digits.error(predicted) for *_, predicted in rows], color=BLUE, height=0.5, label="here")
        if digits.usps:
            bars.plot([PUBLISHED[row] for row, *_ in rows], names, "D", color=VERMILLION, label="published")
            bars.axvline(PUBLISHED["human readers"], color=GREEN, linestyle="dashed", label="human readers")
            bars.legend()
        bars.invert_yaxis()
        bars.set(xlabel="test error in %", title="USPS" if digits.usps else "digits of scikit-learn")
        images.imshow(tiled(digits, wrong[: down * across], across), cmap="gray_r")
        images.set_axis_off()
        images.set_title(f"{min(down * across, wrong.size)} of the {wrong.size} that {rows[-1][1]} gets wrong")


def tiled(digits: Digits, samples: np.ndarray, across: int) -> np.ndarray:
    """Return these test images beside and below each other, with a gap between them."""
    side = round(digits.X.shape[1] ** 0.5)
    tiles = np.full((-(-samples.size // across) * (side + 1) - 1, across * (side + 1) - 1), np.nan)
    for place, sample in enumerate(samples):
        top, left = (side + 1) * (place // across), (side + 1) * (place % across)
        tiles[top : top + side, left : left + side] = digits.X_test[sample].reshape(side, side)
    return tiles


def main(folder: Path, data: Path | None = None) -> None:
    """Tune, train, print the table beside the published one, and draw it."""
    digits = load(data)
    kernel, C, held = choose(digits)
    rows = list(machines(digits, kernel, C))
    table = Table("classifier", "machines", "test error %", "published %")
    if digits.usps:
        table.add_row("human readers", "", "", f"{PUBLISHED['human readers']:.1f}")
    for row, what, predicted in rows:
        table.add_row(row, what, f"{digits.error(predicted):.2f}", f"{PUBLISHED[row]:.1f}" if digits.usps else "")
    table.caption = f"{kernel!r}, C = {C:g}: chosen by {held:.2f} % error on a third of the training images"
    Console().print(table)
    best = min(digits.error(predicted) for row, _, predicted in rows if row == "support vector machine")
    assert best <= (4.5 if digits.usps else 5.0)
    draw(digits, rows, folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent / "pictures")
    parser.add_argument("--data", type=Path, help="folder with zip.train.gz and zip.test.gz, or usps.npz")
    arguments = parser.parse_args()
    main(arguments.folder, arguments.data)
