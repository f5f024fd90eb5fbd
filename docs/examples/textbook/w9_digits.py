# SPDX-License-Identifier: BSD-3-Clause
r"""Handwritten digits
==================

How well are they read? Machines of two classes are combined for ten: one against the rest decides for
:math:`\operatorname{argmax}_k g_k(x)`, and one against one decides by votes. The machines are perceptrons with the
kernels :math:`(\langle x, z\rangle / s + 1)^d` of degree 1, 2 and 3, and soft margins with a Gaussian kernel
:math:`k(x, z) = e^{-\gamma\|x - z\|^2}`.

The protocol: pixels lie between -1 and 1; a perceptron begins at 0 with the rate 1, and takes the images in their order
until a pass makes no mistake, for at most 100 passes; the width :math:`\gamma` and the cost :math:`C` are chosen on
a third of the training images, held out at random; the test images are looked at once, at the end. The images are those
of scikit-learn, 8 x 8 pixels, the first 1200 of them for training and the other 597 for testing.

A textbook chapter prints test errors on USPS, 16 x 16 pixels: 2.7 % for human readers, 5.9 % for the perceptron and 4.0
% for the support vector machine. It does not give the scaling, kernel, cost, order or rule for ten classes. The
:doc:`page on digits </performance/digits>` has the test errors on USPS under this protocol, and under hundreds of
others.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from formulations import OneVersusOne, OneVersusRest, Perceptron
from formulations.plots.style import BLUE, STYLE
from qpkernels import RBF, Gram, Polynomial

plt.rcParams.update(STYLE)

images, digits = load_digits(return_X_y=True)
images = images / 8.0 - 1.0
(X, X_test), (y, y_test) = np.split(images, [1200]), np.split(digits, [1200])


def error(predicted: np.ndarray, labels: np.ndarray = y_test) -> float:
    """Return the share of wrong labels in per cent."""
    return 100.0 * float(np.mean(predicted != labels))


# %%
# Ten perceptrons of each degree, one digit against the rest. :math:`s` is the mean of :math:`\|x_i\|^2`.
rows = {}
for degree, name in enumerate(("linear", "quadratic", "cubic"), start=1):
    gram = Gram(Polynomial(degree=degree, gamma=1.0 / np.mean(np.sum(X**2, axis=1)), coef0=1.0), X)
    machines = [Perceptron(gram, y == digit).solve(max_epochs=100) for digit in range(10)]
    rows["perceptron", name] = np.argmax([machine.function(X_test) for machine in machines], axis=0)

# %%
# The support vector machine has two parameters to choose.
order = np.random.default_rng(0).permutation(len(y))
fit, held = np.split(order, [2 * len(order) // 3])
unit = 1.0 / (X.shape[1] * X.var())
errors = {}
for kernel in (RBF(width * unit) for width in (0.5, 1.0, 2.0)):
    gram = Gram(kernel, X[fit])
    for C in (1.0, 10.0, 100.0):
        solution = OneVersusRest(gram, y[fit], C=C).solve("smo", tol=1e-3, progress=False)
        errors[kernel, C] = error(solution.predict(X[held]), y[held])
kernel, C = min(errors, key=lambda point: errors[point])
print(f"gamma = {kernel.gamma:.4f}, C = {C:g}: {errors[kernel, C]:.2f} % error on a third of the training images")

for scheme in (OneVersusRest, OneVersusOne):
    solution = scheme(X, y, kernel, C=C).solve("smo", tol=1e-4, progress=False)
    assert solution.status == "optimal"
    rows["support vector machine", solution.formulation] = solution.predict(X_test)

# %%
# The test errors. Each kind of machine is better than the one before.
found = {row: error(predicted) for row, predicted in rows.items()}
for (machine, what), value in found.items():
    print(f"{machine:24}{what:16}test error {value:5.2f} %")
linear, quadratic, cubic, rest, pairs = found.values()
assert max(rest, pairs) < min(quadratic, cubic) <= max(quadratic, cubic) < linear
assert max(rest, pairs) < 5

# sphinx_gallery_alt = "Bars of the test errors of five classifiers: the linear perceptron has the longest, those with"
# sphinx_gallery_alt = "kernels shorter ones, and the support vector machines the shortest. Beside them, small images"
# sphinx_gallery_alt = "of digits that are misread."
DOWN, ACROSS = 4, 6
wrong = np.flatnonzero(rows["support vector machine", "OneVersusOne"] != y_test)
side, across = round(X.shape[1] ** 0.5), max(1, min(ACROSS, len(wrong) // DOWN))
tiles = np.full((DOWN * (side + 1), across * (side + 1)), np.nan)
for place, sample in enumerate(wrong[: DOWN * across]):
    top, left = (side + 1) * (place // across), (side + 1) * (place % across)
    tiles[top : top + side, left : left + side] = X_test[sample].reshape(side, side)

figure, (bars, misread) = plt.subplots(
    1, 2, figsize=(10.0, 4.2), width_ratios=[5, 4 * across / DOWN], layout="constrained"
)
names = [f"{machine}\n{what}: {value:.2f} %" for (machine, what), value in found.items()]
bars.barh(names, list(found.values()), color=BLUE, height=0.5)
bars.invert_yaxis()
bars.set(xlabel="test error in %", title="digits of scikit-learn")
misread.imshow(tiles, cmap="gray_r")
misread.set_axis_off()
misread.set_title(f"{min(DOWN * across, len(wrong))} of the {len(wrong)} that the last one gets wrong")
