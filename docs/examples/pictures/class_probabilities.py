# SPDX-License-Identifier: BSD-3-Clause
r"""The probability of two classes
=================================

How sure is a classifier, and how sure could it be? Two classes with the densities :math:`p(x \mid y = \pm 1)` and equal
shares have, by Bayes' rule,

.. math::

   P(y = +1 \mid x) = \frac{p(x \mid +1)}{p(x \mid +1) + p(x \mid -1)}
   = \frac{1}{1 + e^{-a(x)}}, \qquad a(x) = \ln \frac{p(x \mid +1)}{p(x \mid -1)}.

For Gaussian densities of one variance :math:`\sigma^2` the log-odds are linear,
:math:`a(x) = (\mu_+ - \mu_-)\,(x - (\mu_+ + \mu_-)/2) / \sigma^2`; for different variances they are quadratic.

Two machines estimate these probabilities from samples. Kernel logistic regression states
:math:`P(y = +1 \mid x) = 1/(1 + e^{-g(x)})` and minimises
:math:`\tfrac12\|f\|^2 + C \sum \ln(1 + e^{-y_i g(x_i)})` in :math:`g = f + b`. The support vector machine has scores
:math:`g(x)` only; Platt's sigmoid turns them into :math:`1/(1 + e^{-(A g(x) + B)})`, with :math:`A` and :math:`B`
fitted to scores that cross-validation gives samples which a machine has not seen.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from scipy.stats import norm

from formulations import Logistic, SoftMargin, calibrate
from formulations.plots.style import GREEN, INK, STYLE, VERMILLION, class_mark, explain
from qpkernels import RBF

plt.rcParams.update(STYLE)

MEANS, SPREAD = (-1.0, 1.0), 1.0
rng = np.random.default_rng(0)
y = np.repeat([-1.0, 1.0], 100)
x = np.repeat(MEANS, 100) + SPREAD * rng.normal(size=200)
t = np.linspace(-4, 4, 400)
densities = [norm.pdf(t, mean, SPREAD) for mean in MEANS]
truth = densities[1] / (densities[0] + densities[1])
assert np.allclose(truth, expit(2 * t))  # (mu+ - mu-) / sigma^2 = 2

# %%
# Both machines are fitted to 100 samples of each class. The lines below say how far their probabilities are from the
# true ones, on average over new samples.
kernel = RBF(0.1)
logistic = Logistic(x[:, None], y, kernel, C=1.0).solve()
platt = calibrate(lambda X, y: SoftMargin(X, y, kernel, C=1.0), x[:, None], y)
assert logistic.status == platt.solution.status == platt.calibration.status == "optimal"
estimates = {
    "kernel logistic regression": logistic.predict_proba(t[:, None])[:, 1],
    "Platt's sigmoid of a soft margin": platt.probability(t[:, None]),
}
share = (densities[0] + densities[1]) / np.sum(densities)
for name, probability in estimates.items():
    away = float(share @ np.abs(probability - truth))
    print(f"{name:34} {away:.3f} from the true probabilities")
    assert away < 0.08

# %%
# On the left are the densities, and the probability that follows from them; on the right are the machines' estimates,
# with the samples drawn below and above. Where there are many samples, the curves are close to the truth. Far out
# :math:`f` vanishes with the kernel, and the estimates return to the value that :math:`b` gives, while the true
# probability goes on to 0 or 1.

# sphinx_gallery_alt = "Left, two bell curves and a sigmoid that crosses 1/2 where they meet. Right, the same sigmoid"
# sphinx_gallery_alt = "with the estimates of both machines close to it, and ticks at the samples of the two classes."
figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.4), sharey=True, layout="constrained")
for code, density in enumerate(densities):
    colour, _ = class_mark(code, 2)
    left.fill_between(t, density, color=colour, alpha=0.25, linewidth=0, label=f"$p(x \\mid y = {2 * code - 1:+d})$")
    right.plot(x[y == 2 * code - 1], np.full(100, code), "|", color=colour, markersize=9)
for axes in (left, right):
    axes.plot(t, truth, color=INK, linestyle="dotted", label=r"$P(y = +1 \mid x)$ by Bayes' rule")
    axes.axvline(0, color=INK, linewidth=0.6)
    axes.set(xlabel="$x$", xlim=(-4, 4))
for (name, probability), colour, dashes in zip(
    estimates.items(), (GREEN, VERMILLION), ("solid", "dashed"), strict=True
):
    right.plot(t, probability, color=colour, linestyle=dashes, label=name)
left.set_title("from two densities")
right.set_title("from 200 samples")
explain([left, right], own=True, columns=3)
