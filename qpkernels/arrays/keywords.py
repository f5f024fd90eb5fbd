# SPDX-License-Identifier: BSD-3-Clause
"""Keywords that a class does not have: refused by the name that users know, with the nearest one."""

from __future__ import annotations

import inspect
from abc import ABCMeta
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar, cast

from qpkernels.errors import UnsupportedOptionError

__all__ = ["ChecksKeywords", "check_keywords"]

Made = TypeVar("Made")


class ChecksKeywords(ABCMeta):
    """The class of classes whose constructors say which keyword they do not have.

    Python names the class that the constructor is inherited from, and no keyword that may have been meant. A class may
    say of keywords that belong somewhere else, by name in ``elsewhere``, what to write.
    """

    @property
    def __signature__(cls) -> inspect.Signature:
        """The signature of the constructor, which ``inspect`` would take for that of :meth:`__call__`."""
        _, *parameters = inspect.signature(cls.__init__).parameters.values()  # type: ignore[misc]
        return inspect.Signature(parameters)

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
        Those that whoever hands the keywords on to the class has, for the suggestion.

    Raises
    ------
    UnsupportedOptionError
        With the first such keyword, and the nearest that there is.
    """
    parameters = inspect.signature(cls).parameters.values()
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters):
        return
    known = [*(each.name for each in parameters), *also]
    unknown = next((name for name in keywords if name not in known), None)
    if unknown is None:
        return
    elsewhere: Mapping[str, str] = getattr(cls, "elsewhere", {})
    alike = {name.lower(): name for name in (*elsewhere, *known)}
    near = [alike[name] for name in get_close_matches(unknown.lower(), alike, n=1, cutoff=0.6)]
    hint = f"did you mean {elsewhere.get(near[0], near[0])}? It" if near else "it"
    raise UnsupportedOptionError(
        f"{cls.__name__} has no parameter {unknown!r}; {hint} has {', '.join(known) or 'none'}."
    ) from None


def _check_positions(cls: type, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """Refuse what does not fit the signature, in the name of the class itself."""
    signature = inspect.signature(cls)
    try:
        signature.bind(*arguments, **keywords)
    except TypeError as error:
        by_position = [each.name for each in signature.parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
        raise TypeError(f"{cls.__name__}: {error}; by position it takes {', '.join(by_position) or 'none'}.") from None
