# SPDX-License-Identifier: BSD-3-Clause
"""Fitted transformers of scikit-learn as steps that a file can hold: scalers, choices of columns and encoders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.utils.validation import check_is_fitted

from formulations.modelling.prediction.preparation import Affine, Blocks, Choice, OneHot, Ordinal, Preparation, Step
from qpkernels.arrays import FeatureNames, Indices, Vector, shown
from qpkernels.errors import ParameterError

__all__ = ["preparation_of"]


def preparation_of(transformer: Any) -> Preparation:
    """Return what a fitted transformer does, or a pipeline of such."""
    steps = _steps(transformer)
    names = getattr(transformer, "feature_names_in_", None)
    return Preparation(
        steps[0].features if steps else int(transformer.n_features_in_),
        steps,
        None if names is None else tuple(str(each) for each in names),
    )


def _steps(transformer: Any) -> tuple[Step, ...]:
    if transformer is None or (isinstance(transformer, str) and transformer == "passthrough"):
        return ()
    if type(transformer) is Pipeline:
        return tuple(step for _, each in transformer.steps for step in _steps(each))
    if type(transformer) is FunctionTransformer and transformer.func is None:
        return ()
    # A class below these may do anything else.
    reader = _READERS.get(type(transformer))
    if reader is None and isinstance(transformer, SelectorMixin):
        reader = _chosen if type(transformer).transform is SelectorMixin.transform else None
    if reader is None:
        raise ParameterError(
            f"a file holds {', '.join(each.__name__ for each in _READERS)}, selectors of features and pipelines of "
            f"these, but {shown(transformer)} came; transform the samples before the machine sees them, and leave it "
            "out here."
        )
    check_is_fitted(transformer)
    return (reader(transformer),)


def _affine(transformer: Any, shift: Any, factor: Any, offset: Any = None) -> Affine:
    """Return an affine map; None stands for that which changes nothing."""
    if getattr(transformer, "clip", False):
        raise ParameterError(
            f"a file holds affine maps, but {type(transformer).__name__} has clip=True; fit it with clip=False."
        )
    d = transformer.n_features_in_

    def whole(values: Any, nothing: float) -> Vector:
        return np.full(d, nothing) if values is None else np.array(values, dtype=np.float64)

    return Affine(whole(shift, 0.0), whole(factor, 1.0), whole(offset, 0.0))


def _standard(scaler: Any) -> Affine:
    spread = scaler.scale_ if scaler.with_std else None
    return _affine(scaler, scaler.mean_ if scaler.with_mean else None, None if spread is None else 1.0 / spread)


def _robust(scaler: Any) -> Affine:
    spread = scaler.scale_ if scaler.with_scaling else None
    return _affine(scaler, scaler.center_ if scaler.with_centering else None, None if spread is None else 1.0 / spread)


def _chosen(selector: Any) -> Choice:
    support = selector.get_support()
    return Choice(np.flatnonzero(support), len(support))


def _categories(encoder: Any) -> tuple[NDArray[Any], ...]:
    """Return the categories of each column as arrays of numbers or text, which they must be."""
    if encoder.min_frequency is not None or encoder.max_categories is not None:
        raise ParameterError(
            f"a file holds a number for each category, but {type(encoder).__name__} puts infrequent ones together; fit "
            "it without min_frequency and max_categories."
        )
    found = []
    for known in encoder.categories_:
        plain = np.array(known.tolist())
        if plain.dtype.kind not in "biufU" or plain.tolist() != known.tolist():
            raise ParameterError(
                f"a file holds categories that are all numbers or all text, but {type(encoder).__name__} has "
                f"{shown(known.tolist())}; fill in what is missing, and write all of a column in one way."
            )
        found.append(plain)
    return tuple(found)


def _one_hot(encoder: Any) -> OneHot:
    categories, dropped = _categories(encoder), encoder.drop_idx_
    if dropped is None:
        dropped = [None] * len(categories)
    return OneHot(
        categories,
        np.array([-1 if each is None else int(each) for each in dropped], dtype=np.intp),
        encoder.handle_unknown != "error",
        bool(encoder.sparse_output),
    )


def _ordinal(encoder: Any) -> Ordinal:
    unknown = None
    if encoder.handle_unknown != "error":
        unknown = float(encoder.unknown_value)
        if not np.isfinite(unknown):
            raise ParameterError(
                "no machine takes NaN, but OrdinalEncoder has unknown_value=nan; fit it with a number, such as -1."
            )
    return Ordinal(_categories(encoder), unknown)


def _columns(transformer: Any) -> Blocks:
    names, d = getattr(transformer, "feature_names_in_", None), transformer.n_features_in_
    parts = []
    for name, each, columns in transformer.transformers_:
        places = _places(columns, None if names is None else tuple(names), d)
        if (isinstance(each, str) and each == "drop") or not places.size:
            continue
        steps = _steps(each)
        weight = (transformer.transformer_weights or {}).get(name)
        if weight is not None:
            width = steps[-1].width if steps else places.size
            steps = (*steps, Affine(np.zeros(width), np.full(width, float(weight)), np.zeros(width)))
        parts.append((places, Preparation(places.size, steps)))
    return Blocks(tuple(parts), d)


def _places(columns: Any, names: FeatureNames, d: int) -> Indices:
    """Return the numbers of columns that are given by numbers, names, a slice of either, or True and False."""
    if isinstance(columns, slice):
        first, last = columns.start, columns.stop
        if isinstance(first, str) or isinstance(last, str):
            assert names is not None
            # That of names has its end with it.
            first = names.index(first) if isinstance(first, str) else first
            last = names.index(last) + 1 if isinstance(last, str) else last
        return np.arange(d)[first : last : columns.step]
    listed: list[Any] = [columns] if isinstance(columns, str | int | np.integer) else list(columns)
    if listed and all(isinstance(each, bool | np.bool_) for each in listed):
        return np.flatnonzero(listed)
    place = {} if names is None else {name: number for number, name in enumerate(names)}
    found = [place[each] if isinstance(each, str) else range(d)[int(each)] for each in listed]
    return np.array(found, dtype=np.intp)


_READERS: dict[type, Callable[[Any], Step]] = {
    StandardScaler: _standard,
    MinMaxScaler: lambda scaler: _affine(scaler, None, scaler.scale_, scaler.min_),
    MaxAbsScaler: lambda scaler: _affine(scaler, None, 1.0 / scaler.scale_),
    RobustScaler: _robust,
    OneHotEncoder: _one_hot,
    OrdinalEncoder: _ordinal,
    ColumnTransformer: _columns,
}
