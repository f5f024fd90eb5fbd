# SPDX-License-Identifier: BSD-3-Clause
"""The picture at the top of README.md: python docs/front_page.py [file], or make front-page."""

import sys
from io import BytesIO
from pathlib import Path

import matplotlib.pyplot as plt
from PIL import Image
from sklearn.datasets import make_moons

from formulations.estimators import SVC
from formulations.plots import DecisionRegionDisplay
from formulations.plots.style import STYLE, explain

TONES = 40
"""Colours of the file, which keep it small."""


def main(file: Path) -> None:
    """Fit and draw."""
    plt.rcParams.update(STYLE)
    X, y = make_moons(120, noise=0.2, random_state=0)
    classifier = SVC(C=1.0, gamma=1.0, tol=1e-6).fit(X, y)
    print(classifier.certificate_)
    figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    DecisionRegionDisplay.from_estimator(classifier, X, y).plot(axes, legend=False)
    explain([axes], own=True, columns=5)
    drawn = BytesIO()
    figure.savefig(drawn, dpi=100)
    # Each tone is the mean of the colours that it stands for: those of large areas and of marks stay as they are.
    Image.open(drawn).convert("RGB").quantize(TONES, kmeans=2, dither=Image.Dither.NONE).save(file, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "static" / "front_page.png")
