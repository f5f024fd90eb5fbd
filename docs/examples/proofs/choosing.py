# SPDX-License-Identifier: BSD-3-Clause
r"""Choosing C and gamma
======================

The cost and the width of a soft margin with a Gaussian kernel are chosen by cross-validation. A grid proves every fit
of every fold; a path shows how the answer changes with one of them; an exact path has all answers between two costs,
with the values where a sample begins or ceases to be a support vector.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from formulations import SoftMargin, exact_path, grid, path
from formulations.plots import ExactPathDisplay, GridSearchDisplay, PathDisplay
from formulations.plots.style import STYLE
from qpkernels import RBF

plt.rcParams.update(STYLE)

X, y = make_moons(100, noise=0.25, random_state=0)
model = SoftMargin(X, y, RBF(1.0), C=1.0)

# %%
# Each cell is the mean accuracy over five folds; the best point has a frame.
search = grid(model, C=[0.1, 1.0, 10.0, 100.0], gamma=[0.01, 0.1, 1.0, 10.0], folds=5, n_jobs=1, progress=False)
print(f"best: C = {search.best_params['C']:g}, gamma = {search.best_params['gamma']:g}")
assert max(search.mean) == search.best_score

# sphinx_gallery_alt = "A map of accuracies over four costs and four widths; the cell of the best one is framed."
GridSearchDisplay.from_search(search).plot()

# %%
# Along the cost the optimal value rises, and fewer samples are support vectors, if not always.
costs = np.logspace(-1, 3, 13)
followed = path(model, C=costs, progress=False, tol=1e-6)
assert all(fit.status == "optimal" for fit in followed.fits)

# sphinx_gallery_alt = "Two panels over the cost on a logarithmic axis: above the optimal value, which rises, and below"
# sphinx_gallery_alt = "the number of support vectors, which falls."
PathDisplay.from_path(followed).plot()

# %%
# Between two costs the answer is a piecewise linear function of :math:`C`, and its pieces can be followed one after the
# other. A coefficient at its bound is at 1 or -1; those between belong to samples on the margin.
exact = exact_path(model, C=(0.1, 1000.0))
print(f"{len(exact.breakpoints) - 1} pieces")

# sphinx_gallery_alt = "Above, curves of coefficients as shares of their bounds over the cost: most start at 1 or -1"
# sphinx_gallery_alt = "and leave it one by one towards 0. Below, a staircase of the number of free samples."
ExactPathDisplay.from_path(exact).plot()
