# SPDX-License-Identifier: BSD-3-Clause
"""Names of features, where samples come in a table that has such."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import TypeAlias

from qpkernels.errors import FeatureNamesError

__all__ = ["FeatureNames", "check_feature_names", "feature_names", "first_twice"]

FeatureNames: TypeAlias = tuple[str, ...] | None
"""The names of the columns in their order; None of samples without names."""

_SHOWN = 5


def feature_names(X: object) -> FeatureNames:
    """Return the names of the columns of a data frame, if all are text; None of anything else."""
    columns = getattr(X, "columns", None)
    if columns is None or callable(columns):
        return None
    names = tuple(columns)
    return names if names and all(isinstance(name, str) for name in names) else None


def first_twice(names: Iterable[str]) -> str | None:
    """Return the first name that came before, or None if all differ."""
    known: set[str] = set()
    for name in names:
        if name in known:
            return name
        known.add(name)
    return None


def check_feature_names(X: object, known: FeatureNames, taken: Set[str] | None = None) -> None:
    """Refuse a table whose columns are not those of the fit in their order; arrays have no names, and pass.

    Parameters
    ----------
    X, known
        The table, and the columns of the fit.
    taken
        The columns that are looked up by their names, if all are: only they must be there, in any order.

    Raises
    ------
    FeatureNamesError
        With the columns that are missing, or unknown, or that all are there in another order.
    """
    names = feature_names(X)
    if known is None or names is None or names == known:
        return
    there, fitted = frozenset(names), frozenset(known)
    if taken is not None:
        absent = [name for name in known if name in taken and name not in there]
        if absent:
            raise FeatureNamesError(
                f"the kernel takes the columns {_listed([name for name in known if name in taken])} by their names, "
                f"but X has no {_listed(absent)}; its columns are {_listed(names)}."
            )
        return
    unknown, missing = [name for name in names if name not in fitted], [name for name in known if name not in there]
    if not unknown and not missing and len(names) == len(known):
        raise FeatureNamesError(
            f"the columns of X must come in the order of the fit, {_listed(known)}, but they are {_listed(names)}; "
            f"pass X[{list(known[:_SHOWN])}{'' if len(known) <= _SHOWN else ' + ...'}]."
        )
    said = [f"{word} {_listed(found)}" for word, found in (("unknown:", unknown), ("missing:", missing)) if found]
    raise FeatureNamesError(
        f"the columns of X must be those of the fit, {_listed(known)}, but they are {_listed(names)} "
        f"({'; '.join(said) or 'some come twice'}); select the columns of the fit."
    )


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f", ... ({len(names)} in all)" if len(names) > _SHOWN else "")
