# SPDX-License-Identifier: BSD-3-Clause
"""The numbers that an exported machine consists of: some columns, affine maps of them, sums over centers, a rule."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from formulations.modelling.prediction.decisions import Labels, Sigmoids, Votes
from formulations.modelling.prediction.predictor import Predictor
from formulations.modelling.prediction.preparation import Affine, Blocks, Choice, Preparation, Step
from formulations.modelling.prediction.rules import Rule
from formulations.modelling.prediction.sums import FunctionalTerm, terms_of
from qpkernels.arrays import FeatureNames, Indices, Matrix, Vector
from qpkernels.errors import ParameterError
from qpkernels.files import Scaling
from qpkernels.gram.functions import Expansions
from qpkernels.kernels import Kernel, Linear, Nystroem

__all__ = ["MachineTable", "Term"]


@dataclass(frozen=True, eq=False)
class Term:
    """sum_j c_jk k(x, z_j), for several k.

    Attributes
    ----------
    kernel
        k, which states its formula.
    centers
        The z_j, shape (n, d).
    coefficients
        c, shape (n, number of functions).
    """

    kernel: Kernel
    centers: Matrix = field(repr=False)
    coefficients: Matrix = field(repr=False)


@dataclass(frozen=True, eq=False)
class MachineTable:
    """A machine in the form that programs are written from.

    Attributes
    ----------
    features, names
        How many numbers a sample has, and what they are called, or None.
    columns
        Which of these numbers the functions take.
    steps
        Affine maps that they go through first.
    terms, intercepts
        The functions, b being of shape (number of functions,).
    rule
        How labels follow from their values; None: there are none.
    sigmoids, pairs
        How probabilities do, and of which pairs of classes, -1 being the rest; None: there are none.
    """

    features: int
    names: FeatureNames
    columns: Indices
    steps: tuple[Affine, ...]
    terms: tuple[Term, ...]
    intercepts: Vector
    rule: Rule | None
    sigmoids: Sigmoids | None
    pairs: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, predictor: Predictor) -> MachineTable:
        """Return that of a machine.

        Parameters
        ----------
        predictor
            The machine.

        Raises
        ------
        ParameterError
            If its samples are prepared by more than affine maps, it takes derivatives, or a kernel has no formula.
        """
        prepared, decision = predictor.preprocessing, predictor.decision
        if isinstance(prepared, Preparation):
            columns, steps = _flat(prepared)
        else:
            columns, steps = np.arange(predictor.features), () if prepared is None else (_of_scaling(prepared),)
        functions = predictor.functions
        if isinstance(functions, Expansions) and isinstance(functions.kernel, Nystroem):
            # What is in the span of the landmarks is a sum over these, of the exact kernel.
            functions = replace(functions.condensed(), kernel=functions.kernel.base)
        weighted = isinstance(functions, Expansions) and isinstance(functions.kernel, Linear)
        terms = (_weights(functions),) if weighted else tuple(map(_term, terms_of(functions)))
        # Those of a relevance machine are averaged over its posterior.
        rule, sigmoids = decision.rule(), None
        if predictor.posterior is None and isinstance(decision, Labels | Votes):
            sigmoids = decision.sigmoids
        return cls(
            predictor.features,
            predictor.feature_names,
            columns,
            steps,
            terms,
            functions.intercepts,
            rule,
            sigmoids,
            decision.pairs if isinstance(decision, Votes) else ((0, 1),),
        )


def _weights(functions: Any) -> Term:
    """Return linear functions as what each is: one inner product."""
    weights = functions.weights
    return Term(Linear(), weights, np.eye(len(weights)))


def _term(term: FunctionalTerm) -> Term:
    known = term.representers
    if not term.is_plain:
        raise ParameterError(
            "no program is written of functions that hold derivatives; export a machine of values, or keep this one in "
            "a file of its own (save)."
        )
    centers = known.X.toarray() if hasattr(known.X, "toarray") else np.asarray(known.X)
    if centers.ndim != 2 or centers.dtype.kind != "f":
        raise ParameterError(
            f"programs are written for samples that are lists of numbers, but {known.kernel!r} takes others; keep this "
            "machine in a file of its own (save)."
        )
    return Term(known.kernel, centers, np.asarray(term.coefficients))


def _of_scaling(scaling: Scaling) -> Affine:
    spread = scaling.high - scaling.low
    constant = spread == 0.0
    factor = np.where(constant, 0.0, (scaling.upper - scaling.lower) / np.where(constant, 1.0, spread))
    return Affine(scaling.low, factor, np.where(constant, 0.0, scaling.lower))


def _flat(step: Step) -> tuple[Indices, tuple[Affine, ...]]:
    """Return the columns that a step takes, and the affine maps that these go through, one after the other."""
    if isinstance(step, Affine):
        return np.arange(step.features), (step,)
    if isinstance(step, Choice):
        return step.columns, ()
    if isinstance(step, Preparation):
        columns = np.arange(step.features)
        steps: tuple[Affine, ...] = ()
        for each in step.steps:
            chosen, own = _flat(each)
            columns, steps = columns[chosen], (*(_of_columns(known, chosen) for known in steps), *own)
        return columns, steps
    if isinstance(step, Blocks):
        parts = [(columns, *_flat(each)) for columns, each in step.parts]
        longest = max(len(steps) for _, _, steps in parts)
        filled = [(*steps, *[_nothing(chosen.size)] * (longest - len(steps))) for _, chosen, steps in parts]
        together = tuple(zip(*filled, strict=True)) if longest else ()
        return np.concatenate([columns[chosen] for columns, chosen, _ in parts]), tuple(map(_beside, together))
    raise ParameterError(
        f"programs are written of affine maps and choices of columns, but {type(step).__name__} came; encode the "
        "samples before the machine sees them, and export it without that step."
    )


def _of_columns(step: Affine, chosen: Indices) -> Affine:
    return Affine(step.shift[chosen], step.factor[chosen], step.offset[chosen])


def _nothing(width: int) -> Affine:
    return Affine(np.zeros(width), np.ones(width), np.zeros(width))


def _beside(steps: tuple[Affine, ...]) -> Affine:
    return Affine(*(np.concatenate([getattr(each, name) for each in steps]) for name in ("shift", "factor", "offset")))
