# SPDX-License-Identifier: BSD-3-Clause
r"""The soft tube at two costs
=============================

What does the cost of a soft tube do? 40 samples of a sine with noise of standard deviation 0.3 are given, and with
:math:`k(x, z) = e^{-(x - z)^2/c^2}`, :math:`c = 8`, and :math:`\epsilon = 0.2` solve (D2)

.. math::

   \min_{f, b, \xi}\ \tfrac12 \|f\|^2 + C \sum_i (\xi^+_i + \xi^-_i)
   \quad\text{subject to}\quad -\epsilon - \xi^-_i \le y_i - f(x_i) - b \le \epsilon + \xi^+_i,\quad \xi^\pm_i \ge 0

with the textbook's costs, :math:`C = 0.5` and :math:`C = 40`. The samples are ours.

:math:`C` bounds every coefficient, :math:`|\beta_i| \le C`, and so the say of each sample. Where it is small, samples
outside the tube are at this bound and cannot draw the curve any further. As it rises, the sum of what lies outside can
only fall and :math:`\|f\|` only rise (the proof is that of W3): the curve follows its samples, and in the end their
noise.
"""

import matplotlib.pyplot as plt
import numpy as np

from formulations import SoftTube
from formulations.displays import TubeDisplay
from formulations.displays.style import INK, STYLE, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 40, 40))
y = np.sin(x / 4) + 0.3 * rng.normal(size=40)

# %%
# Both answers are proved optimal. At the small cost, ``24 support vectors, 18 at the bound`` and a
# ``slack 4.483``; at the large one there is less slack and a larger norm.
answers = {}
for C in (0.5, 40.0):
    model = SoftTube(x[:, None], y, RBF.from_c(8), C=C, epsilon=0.2)
    solution = model.solve(tol=1e-8)
    error = np.sqrt(np.mean((solution.decision - np.sin(x / 4)) ** 2))
    print(
        f"C = {C:4g}: {solution.n_support} support vectors, {solution.support.bounded.size} at the bound, "
        f"slack {solution.slacks.sum():.3f}, ||f||^2 = {solution.beta @ model.gram.dense @ solution.beta:.2f}, "
        f"distance from the sine {error:.3f}"
    )
    answers[C] = model, solution
    assert solution.status == "optimal"
    assert np.allclose(np.abs(solution.beta[solution.support.bounded]), C)
small, large = (solution for _, solution in answers.values())
assert large.slacks.sum() < small.slacks.sum()
assert large.certificate.primal_value > small.certificate.primal_value

# %%
# The smooth curve of the small cost lies nearer to the sine than the curve that follows the noise.

# sphinx_gallery_alt = "Two panels with the same samples of a sine and a tube around a curve. At C = 0.5 the curve is"
# sphinx_gallery_alt = "smooth with many samples outside; at C = 40 it bends towards them and has more wiggles."
figure, panels = plt.subplots(1, 2, figsize=(11.0, 4.6), sharey=True, layout="constrained")
for axes, (C, (model, solution)) in zip(panels, answers.items(), strict=True):
    display = TubeDisplay.from_solution(solution, model).plot(axes, legend=False)
    axes.plot(display.grid, np.sin(display.grid / 4), color=INK, linestyle="dotted", label=r"$\sin(x / 4)$", zorder=1.8)
    axes.set_title(rf"$C = {C:g}$, $\epsilon = 0.2$, $c = 8$: {solution.n_support} support vectors of 40")
explain(list(panels), own=True, columns=7)
