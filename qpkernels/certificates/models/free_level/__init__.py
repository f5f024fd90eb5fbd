# SPDX-License-Identifier: BSD-3-Clause
r"""Two bounds of a model whose level is free: the nu-machines, where nu is the share of samples beyond the level.

With losses e_i of the decision values v_i = f(x_i) + b, a cost C and the level l, both are

    min  1/2 ||f||^2 + nu 1'C l + sum C_i max(0, e_i - l)     over f, b and l
    max  t'beta - 1/2 beta'K beta                           s.t.  1'beta = 0,  |beta_i| <= C

* the tube of targets t: e_i = |t_i - v_i|, l = epsilon >= 0, and so 1'|beta| <= nu 1'C
* the margin of labels y: e_i = -y_i v_i, t = 0, l = -rho <= 0, 1'C = 1, and so y_i beta_i >= 0 and 1'|beta| >= nu.

Any (f, b) with its best l is feasible above, and any beta near the bounds is moved there: P - D bounds the error.
"""

from qpkernels.certificates.models.free_level.base import best_level
from qpkernels.certificates.models.free_level.margin import MarginLevelBounds
from qpkernels.certificates.models.free_level.tube import TubeLevelBounds

__all__ = ["MarginLevelBounds", "TubeLevelBounds", "best_level"]
