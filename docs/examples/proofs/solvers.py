# SPDX-License-Identifier: BSD-3-Clause
r"""A comparison of solvers
=======================

Several solvers are given one model and its forms: which answers are proved, and how long did each take? The certificate
of an answer is computed from the data and the coefficients alone, so a solver's own word plays no part in it. Seconds
are those of the computer that built this page.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from formulations import SoftMargin, compare, cross_examine
from formulations.plots import ComparisonDisplay, CrossExaminationDisplay
from formulations.plots.style import STYLE
from qpkernels import RBF

plt.rcParams.update(STYLE)

X, y = make_moons(80, noise=0.25, random_state=0)
model = SoftMargin(X, y, RBF(1.0), C=1.0)

# %%
# A comparison solves every form by every solver that takes it.
comparison = compare(model, solvers=["smo", "interior-point", "clarabel", "osqp"], progress=False)
assert all(row.status == "optimal" for row in comparison)
comparison

# %%
# The seconds are on the horizontal axis, the certified gaps on the vertical one.

# sphinx_gallery_alt = "Seconds against the certified relative gap of each answer, on logarithmic axes: colours are"
# sphinx_gallery_alt = "solvers, markers are forms, and all lie in the green band below the tolerance."
ComparisonDisplay.from_comparison(comparison).plot()

# %%
# A cross-examination asks for several tolerances: an honest solver gets more accurate when more is asked, and says so
# where it cannot.
examination = cross_examine(
    model, solvers=["coordinate-descent", "clarabel", "osqp"], tolerances=(1e-3, 1e-6, 1e-9), progress=False
)
examination

# %%
# Each line is a solver, from the loosest tolerance to the tightest.

# sphinx_gallery_alt = "A line for each of three solvers through its answers at three tolerances: seconds against the"
# sphinx_gallery_alt = "proved accuracy, which falls with the tolerance asked for."
CrossExaminationDisplay.from_examination(examination).plot()
