# SPDX-License-Identifier: BSD-3-Clause
r"""Is this answer optimal?
=========================

A soft margin is optimal where every sample lies on one curve. With the margin :math:`z_i = y_i g(x_i)` and the
multiplier :math:`\alpha_i` the conditions of Karush, Kuhn and Tucker are

.. math::

   z_i > 1 \Rightarrow \alpha_i = 0, \qquad z_i < 1 \Rightarrow \alpha_i = C,
   \qquad z_i = 1 \Rightarrow 0 \le \alpha_i \le C,

a step: the graph of the slopes of the hinge. Whichever solver was used, a sample off that graph is a reason why the
answer is not optimal, and the duality gap bounds how much all of these matter: for any :math:`(f, b)` with
primal value :math:`P` and any feasible multipliers with dual value :math:`D`, :math:`D \le p^* \le P`.
"""

import matplotlib.pyplot as plt
import sklearn.svm
from sklearn.datasets import make_moons

from formulations import SoftMargin, audit
from formulations.plots import CertificateDisplay, KKTDisplay
from formulations.plots.style import STYLE, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

X, y = make_moons(120, noise=0.25, random_state=0)
model = SoftMargin(X, y, RBF(1.0), C=1.0)
solution = model.solve(tol=1e-6)
hasty = sklearn.svm.SVC(C=1.0, gamma=1.0, tol=0.5).fit(X, y)

# %%
# Our answer has every sample on the graph. Some samples of scikit-learn's machine, which was stopped early on purpose,
# are off it.

# sphinx_gallery_alt = "Two panels, the multiplier against the margin, with a step from 1 to 0 at margin 1. Left, all"
# sphinx_gallery_alt = "samples lie on the step. Right, some samples are crosses beside it, coloured by their distance."
# sphinx_gallery_lab = "model"
figure, panels = plt.subplots(1, 2, figsize=(11.0, 4.6), layout="constrained")
proved = KKTDisplay.from_solution(solution, model).plot(panels[0], legend=False)
stopped = KKTDisplay.from_estimator(hasty, X, y).plot(panels[1], legend=False)
panels[0].set_title("solved to a gap of 1e-6")
panels[1].set_title("scikit-learn's SVC with tol=0.5")
explain(list(panels), own=True, columns=6)
print(f"largest violation: {proved.violation.max():.1e} and {stopped.violation.max():.1e}")
assert proved.violation.max() < 1e-3 < stopped.violation.max()

# %%
# An audit says the same in numbers, of anybody's machine.
print(audit(hasty, X, y))

# %%
# Certificates of answers to one problem can be compared: primal values above the optimum, dual values below.
# Coordinate descent stops as soon as its tolerance is proved, and encloses the optimum more and more tightly.
answers = {"SVC": model.certify(hasty)}
for tol in (1e-1, 1e-3, 1e-6):
    answers[f"{tol:g}"] = model.solve("coordinate-descent", tol=tol).certificate
for name, certificate in answers.items():
    print(f"{name:6}{certificate.dual_value:.6f} <= optimum <= {certificate.primal_value:.6f}")
assert max(each.dual_value for each in answers.values()) <= min(each.primal_value for each in answers.values())

# sphinx_gallery_alt = "Pairs of triangles, primal values above zero and dual values below, on a logarithmic axis: they"
# sphinx_gallery_alt = "close in on zero as the tolerance falls, and the last pair lies in a green band of the gap"
# sphinx_gallery_alt = "1e-6."
CertificateDisplay.from_certificates(answers, tol=1e-6).plot()
