# SPDX-License-Identifier: BSD-3-Clause
"""Checks of a user's arguments: single numbers and words are validated, and unknown keywords are refused."""

from __future__ import annotations

import inspect
from abc import ABCMeta
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from difflib import get_close_matches
from functools import cache
from numbers import Real
from reprlib import Repr
from typing import Any, TypeGuard, TypeVar, cast

import numpy as np

from qpkernels.errors import ParameterError, UnsupportedOptionError

__all__ = [
    "ChecksKeywords",
    "check_choice",
    "check_count",
    "check_finite",
    "check_flag",
    "check_keywords",
    "check_nonnegative",
    "check_positive",
    "check_tolerance",
    "is_integer",
    "real_number",
    "shown",
    "shown_label",
]

_LARGEST_COUNT = 2**63 - 1

_REPR = Repr()
_REPR.maxother = _REPR.maxstring = 60


def shown(value: object) -> str:
    """Return ``value`` as an error message quotes it: shortened, and whatever its own ``repr`` may do."""
    try:
        return _REPR.repr(value)
    except Exception:
        # Python itself refuses to write integers of many digits.
        return f"<{type(value).__name__}>"


def shown_label(label: object) -> str:
    """Return a label as a message names it: text in quotes, and a whole number without the .0 of a float."""
    return shown(int(label) if isinstance(label, float) and label.is_integer() else label)


def real_number(value: object, name: str, wanted: str = "a number", advice: str = "") -> float:
    """Return ``value`` as a float if it is a real number: of Python or NumPy, or an array without dimensions.

    Text, True and False, complex and masked values are not real numbers. The number may be NaN or infinite.

    Raises
    ------
    ParameterError
        If it is not a real number, with ``advice`` at the end of the message, or if it is beyond float64.
    """
    if type(value) is float:
        return value
    scalar: Any = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if not isinstance(scalar, Real | Decimal) or isinstance(scalar, bool | np.bool_ | np.timedelta64):
        raise ParameterError(f"{name} must be {wanted}, but {shown(value)} came{advice}.")
    try:
        return float(scalar)
    except (OverflowError, ValueError):
        raise ParameterError(f"{name} must be {wanted} within float64, but {shown(value)} came.") from None


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether ``value`` is an integer of Python or NumPy; True and False are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def check_count(value: object, name: str, advice: str = "", *, least: int = 1) -> int:
    """Return ``value`` as an int if it is an integer of at least ``least`` that fits in 64 bits.

    Raises
    ------
    ParameterError
        Otherwise; ``advice`` ends the message.
    """
    if type(value) is int and least <= value <= _LARGEST_COUNT:
        return value
    if not is_integer(value) or value < least:
        raise ParameterError(f"{name} must be an integer of at least {least}, but {shown(value)} came{advice}.")
    if value > _LARGEST_COUNT:
        raise ParameterError(f"{name} must be an integer of at most {_LARGEST_COUNT}, but {shown(value)} came{advice}.")
    return int(value)


def check_positive(value: object, name: str, advice: str = "") -> float:
    """Return ``value`` as a float if it is a finite number above zero.

    Raises
    ------
    ParameterError
        Otherwise; of what is no number, ``advice`` ends the message.
    """
    number = real_number(value, name, "a number above 0", advice)
    if not 0.0 < number < np.inf:
        raise ParameterError(f"{name} must be finite and above 0, but {number:g} came.")
    return number


def check_tolerance(value: object, name: str = "tol") -> float:
    """Return ``value`` as a float if it is a tolerance of a certificate: a number above 0 and below 1.

    Raises
    ------
    ParameterError
        Otherwise.
    """
    number = real_number(value, name, "a number above 0 and below 1")
    if not 0.0 < number < 1.0:
        raise ParameterError(
            f"{name} must be above 0 and below 1, but {number:g} came: it is the relative gap and the residuals up to "
            "which an answer counts as optimal; 1e-6 is usual, and 1e-3 is rough."
        )
    return number


def check_nonnegative(value: object, name: str) -> float:
    """Return ``value`` as a float if it is a finite number of at least zero.

    Raises
    ------
    ParameterError
        Otherwise.
    """
    number = real_number(value, name, "a finite number of at least 0")
    if not 0.0 <= number < np.inf:
        raise ParameterError(f"{name} must be a finite number of at least 0, but {number} came.")
    return number


def check_finite(value: object, name: str) -> float:
    """Return ``value`` as a float if it is a finite number.

    Raises
    ------
    ParameterError
        Otherwise.
    """
    number = real_number(value, name, "a finite number")
    if not np.isfinite(number):
        raise ParameterError(f"{name} must be a finite number, but {number:g} came.")
    return number


def check_flag(value: object, name: str) -> bool:
    """Return ``value`` as a bool if it is one.

    Raises
    ------
    ParameterError
        Otherwise.
    """
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} must be True or False, but {shown(value)} came.")
    return bool(value)


def check_choice(value: object, name: str, choices: Collection[str]) -> str:
    """Return ``value`` if it is one of these words.

    Raises
    ------
    ParameterError
        Otherwise.
    """
    if not isinstance(value, str) or value not in choices:
        *others, last = (repr(choice) for choice in choices)
        raise ParameterError(f"{name} must be {', '.join(others)} or {last}, but {shown(value)} came.")
    return str(value)


Made = TypeVar("Made")


@cache
def _signature(constructor: Callable[..., None]) -> inspect.Signature:
    _, *parameters = inspect.signature(constructor).parameters.values()
    return inspect.Signature(parameters)


class ChecksKeywords(ABCMeta):
    """The class of classes whose constructors say which keyword they do not have.

    Python names the class that the constructor is inherited from, and suggests no keyword that may have been meant. In
    ``_elsewhere``, a class may state by name what to write for keywords that belong somewhere else.
    """

    @property
    def __signature__(cls) -> inspect.Signature:
        """The signature of the constructor, which ``inspect`` would take for that of :meth:`__call__`."""
        return _signature(cls.__init__)  # type: ignore[misc]

    def __call__(cls: type[Made], *arguments: Any, **keywords: Any) -> Made:
        """Make an object.

        Raises
        ------
        UnsupportedOptionError
            If there is no such keyword; the message suggests the nearest one.
        """
        try:
            return cast(Made, type.__call__(cls, *arguments, **keywords))
        except TypeError:
            check_keywords(cls, keywords)
            _check_positions(cls, arguments, keywords)
            raise


def check_keywords(cls: type, keywords: Collection[str], also: Collection[str] = ()) -> None:
    """Refuse keywords that the constructor of a class does not have.

    Parameters
    ----------
    also
        The keywords of the caller that passes keywords on to the class, for the suggestion.

    Raises
    ------
    UnsupportedOptionError
        If there is one; the message states it and the nearest keyword.
    """
    parameters = _parameters_of(cls)
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters):
        return
    known = [*(each.name for each in parameters), *also]
    unknown = next((name for name in keywords if name not in known), None)
    if unknown is None:
        return
    elsewhere: Mapping[str, str] = getattr(cls, "_elsewhere", {})
    alike = {name.lower(): name for name in (*elsewhere, *known)}
    near = [alike[name] for name in get_close_matches(unknown.lower(), alike, n=1, cutoff=0.6)]
    hint = f"did you mean {elsewhere.get(near[0], near[0])}? It" if near else "it"
    raise UnsupportedOptionError(
        f"{cls.__name__} has no parameter {unknown!r}; {hint} has {', '.join(known) or 'none'}."
    ) from None


@cache
def _parameters_of(cls: type) -> tuple[inspect.Parameter, ...]:
    return tuple(inspect.signature(cls).parameters.values())


def _check_positions(cls: type, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """Refuse arguments that do not fit the signature, in the name of the class itself."""
    signature = inspect.signature(cls)
    try:
        signature.bind(*arguments, **keywords)
    except TypeError as error:
        by_position = [each.name for each in signature.parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
        raise TypeError(f"{cls.__name__}: {error}; by position it takes {', '.join(by_position) or 'none'}.") from None
