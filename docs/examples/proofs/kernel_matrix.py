# SPDX-License-Identifier: BSD-3-Clause
r"""The kernel matrix as a picture
==============================

A kernel machine knows nothing of its samples but the matrix :math:`K_{ij} = k(x_i, x_j)`. With the samples in the order
of their classes, a kernel that suits them shows blocks: large values within a class, small ones between two. Its
eigenvalues tell how many directions the machine can tell apart; a negative one means that the problem is not convex.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from formulations import OneVersusRest
from formulations.plots import DecisionRegionDisplay, GramDisplay
from formulations.plots.style import STYLE
from qpkernels import RBF, Gram, Sigmoid

plt.rcParams.update(STYLE)

X, y = load_iris(return_X_y=True)
X, y = X[:, 2:][::2], y[::2]  # length and width of petals, every second flower

# %%
# Three classes of iris with a Gaussian kernel: the first is a block of its own, the other two are near to each other.
model = OneVersusRest(X, y, RBF(1.0), C=10.0)

# sphinx_gallery_alt = "A kernel matrix with three bright blocks along the diagonal, the last two joined by a dim"
# sphinx_gallery_alt = "region, and beside it eigenvalues that fall by sixteen orders of magnitude down to rounding."
GramDisplay.from_model(model).plot()

# %%
# The machine that this kernel makes is alike: one boundary is clear, and the other has errors beside it.
solution = model.solve("smo", tol=1e-6, progress=False)
errors = np.flatnonzero(solution.predict(X) != y)
print(f"{errors.size} of {len(y)} flowers are on a wrong side, of classes {sorted(set(y[errors].tolist()))}")
assert 0 not in y[errors]

# sphinx_gallery_alt = "Three tinted regions in the plane of length and width of petals, with the flowers of each class"
# sphinx_gallery_alt = "as discs, squares and triangles; the boundary of two of them passes between mixed marks."
display = DecisionRegionDisplay.from_solution(solution, model).plot()
display.ax_.set(xlabel="length of petals in cm", ylabel="width of petals in cm")

# %%
# A sigmoid is no kernel in general: with these parameters its matrix has negative eigenvalues, drawn as squares, and a
# model that is stated with it says so.
gram = Gram(Sigmoid(kappa=0.5, b=2.0), X)
display = GramDisplay.from_gram(gram, y)
print(f"least eigenvalue {display.eigenvalues.min():.3f}")
assert display.eigenvalues.min() < 0

# sphinx_gallery_alt = "The matrix of a sigmoid, and its eigenvalues: among the leading ones two are negative and drawn"
# sphinx_gallery_alt = "as squares."
display.plot()
