# SPDX-License-Identifier: BSD-3-Clause
r"""Hard or soft margin, with a Gaussian kernel
===========================================

What does the kernel do with two classes that no line separates, and when should a margin be soft? The 50 samples are
those of a notebook on sparse kernel machines, uniform in :math:`[-1, 1]^2`: the first 100 numbers of NumPy's old
generator, seeded with 0. They are labelled in two ways: :math:`y = -1` where both coordinates are negative and
:math:`+1` elsewhere (the corner, as in the notebook), and :math:`y = \operatorname{sign}(x_1 x_2)` (exclusive or). With
:math:`k(x, z) = e^{-\theta\|x - z\|^2/2}`, :math:`\theta = 1`, solve

.. math::

   \text{hard}\qquad & \min_{f, b}\ \tfrac12 \|f\|^2 && \text{subject to}\quad y_i (f(x_i) + b) \ge 1

   \text{soft}\qquad & \min_{f, b, \xi}\ \tfrac12 \|f\|^2 + C \textstyle\sum_i \xi_i
   && \text{subject to}\quad y_i (f(x_i) + b) \ge 1 - \xi_i,\quad \xi_i \ge 0, \quad\text{here with } C = 1.

Why is there a hard margin at all? The Gaussian kernel matrix of different samples is positive definite, so that
:math:`f` can take any values at them: every labelling is separable. No sample may then lie between the dashed lines
:math:`g = -1` and :math:`g = +1` of :math:`g = f + b`, and the few on these lines are the support vectors.

Why take a soft one? A single sample can force a large :math:`\|f\|`, and so a thin margin :math:`1/\|f\|`. At the cost
:math:`C` for each unit of slack, samples may lie inside the strip or on the wrong side; all of these are support
vectors too, with :math:`\alpha_i = C`.
"""

import matplotlib.pyplot as plt
import numpy as np

from formulations import HardMargin, SoftMargin
from formulations.plots import DecisionRegionDisplay
from formulations.plots.style import STYLE, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

X = np.random.RandomState(0).uniform(-1, 1, 100).reshape(50, 2)
labels = {"corner": np.where((X < 0).all(axis=1), -1.0, 1.0), "exclusive or": np.sign(X[:, 0] * X[:, 1])}
kernel = RBF.from_theta(1)

# %%
# Free support vectors lie on the dashed lines, and those at the bound :math:`C` lie inside the strip. The hard margin
# of the corner has ``4 support vectors``; the soft one has ``19 support vectors, 16 inside the strip`` and the optimal
# value ``12.7482334``, which is that of the first soft margin of the notebook.
answers = {}
for name, y in labels.items():
    for kind, model in (("hard", HardMargin(X, y, kernel)), ("soft", SoftMargin(X, y, kernel, C=1.0))):
        solution = model.solve(tol=1e-9)
        inside = np.flatnonzero(solution.margins < 1 - 1e-5)
        print(
            f"{name:12} {kind}: {solution.n_support:2} support vectors, {inside.size} inside the strip, "
            f"margin {solution.margin:.4f}, optimal value {solution.certificate.primal_value:.7f}, {solution.status}"
        )
        assert solution.status == "optimal"
        assert np.allclose(solution.margins[solution.support.free], 1, atol=1e-4)
        assert np.array_equal(inside, solution.support.bounded)
        assert np.allclose(solution.alpha[solution.support.bounded], 1.0)
        assert kind == "soft" or inside.size == 0
        answers[name, kind] = model, solution
assert [solution.n_support for _, solution in answers.values()] == [4, 19, 8, 39]
assert abs(answers["corner", "soft"][1].certificate.primal_value - 12.7482334) < 5e-8

# %%
# Separating every sample costs margin: for the exclusive or it is ``0.0197`` where all are separated, and ``0.2583``
# where some need not be.

# sphinx_gallery_alt = "Four panels, the corner above and the exclusive or below, hard margins on the left, soft ones"
# sphinx_gallery_alt = "on the right. Hard strips are thin and empty; soft ones are wide, with many ringed samples"
# sphinx_gallery_alt = "inside."
# sphinx_gallery_lab = "corner: answers['corner', 'hard'][0]"
# sphinx_gallery_lab = "corner: answers['corner', 'soft'][0]"
# sphinx_gallery_lab = "exclusive or: answers['exclusive or', 'hard'][0]"
# sphinx_gallery_lab = "exclusive or: answers['exclusive or', 'soft'][0]"
figure, panels = plt.subplots(2, 2, figsize=(9.2, 8.4), layout="constrained")
for axes, ((name, kind), (model, solution)) in zip(panels.flat, answers.items(), strict=True):
    display = DecisionRegionDisplay.from_solution(solution, model, extent=(-1.05, 1.05, -1.05, 1.05))
    display.plot(axes, legend=False)
    axes.set(xticks=[-1, -0.5, 0, 0.5, 1], yticks=[-1, -0.5, 0, 0.5, 1], aspect="equal")
    axes.set_title(f"{name}, {kind} margin: {solution.n_support} support vectors")
explain(list(panels.flat), own=True, columns=5)
