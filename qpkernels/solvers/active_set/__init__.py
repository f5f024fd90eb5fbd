# SPDX-License-Identifier: BSD-3-Clause
r"""The common part of methods that follow the free variables of a box-constrained kernel program.

A coefficient is at its lower bound, at its upper bound, at 0 where epsilon |beta| has its kink, or free. Once it is
known where each of them is, the free ones F and b solve linear equations: with g the slopes of the objective,

    A d + b 1 = -g_F,    1'd = what the sum lacks,    A = K_FF + diag(ridge_F),

for the step d, without b and the last equation where no equation ties the coefficients. The inverse M of A follows each
sample that becomes free or is free no more by one step of elimination (:mod:`.inverse`), and solves this: d = u - b w
for u = -M g_F, w = M 1 and the b that makes the sum right. A step goes as far as the first coefficient that comes to an
end of its interval, between bounds and kinks (:mod:`.loops`).

:mod:`qpkernels.families.incremental` goes so to the optimum after a change of the samples,
:mod:`qpkernels.families.paths` along a parameter, from one end to the next, and :mod:`qpkernels.families.batch` to the
minimum over the coefficients that descent by pairs has left free.

Two methods of the project have an active set and none of this. The vertex that an interior-point method means is of
programs whose K may be known by few features alone: all coefficients that are at the wrong place change it at once, and
the Newton system of the path solves the equations, in as many unknowns as there are features. The polishing of a cone
program has rows of any sparse matrix in place of bounds, and factors that keep them sparse.
"""

__all__: list[str] = []
