# SPDX-License-Identifier: BSD-3-Clause
"""The picture at the top of README.md: a support vector classifier, its margin and its support vectors."""

from pathlib import Path

from figures import picture, run
from sklearn.datasets import make_moons

from formulations.displays import DecisionRegionDisplay
from formulations.displays.style import explain
from formulations.estimators import SVC


def main(folder: Path) -> None:
    """Fit and draw."""
    X, y = make_moons(120, noise=0.2, random_state=0)
    classifier = SVC(C=1.0, gamma=1.0, tol=1e-6).fit(X, y)
    print(classifier.certificate_)
    with picture(folder / "front_page.png", width=6.4, height=4.2) as (axes,):
        DecisionRegionDisplay.from_estimator(classifier, X, y).plot(axes, legend=False)
        explain([axes], own=True, columns=5)


if __name__ == "__main__":
    run(main)
