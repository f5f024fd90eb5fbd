# SPDX-License-Identifier: BSD-3-Clause
"""Several items in one case of a test: each of them is checked, and those that fail are named."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest

__all__ = ["together"]

Test = Callable[..., None]


def together(names: str, items: Iterable[Any], by: Callable[..., Any] | None = None) -> Callable[[Test], Test]:
    """Run a test for all items in one case, or in one case for each value of ``by``.

    It is for checks that cost less than a case does. ``names`` are the arguments that an item stands for, as
    ``pytest.mark.parametrize`` has them; all other arguments of the test are fixtures or parameters as ever.
    """
    arguments = [name.strip() for name in names.split(",")]
    groups: dict[str, list[tuple[Any, ...]]] = {}
    for item in items:
        values = tuple(item) if len(arguments) > 1 else (item,)
        groups.setdefault("" if by is None else name_of(by(*values)), []).append(values)

    def decorate(test: Test) -> Test:
        def check(group: str, others: dict[str, Any]) -> None:
            failures = []
            for values in groups[group]:
                try:
                    test(**dict(zip(arguments, values, strict=True)), **others)
                except Exception as failure:
                    failure.add_note(f"It failed for {', '.join(map(name_of, values))}.")
                    failures.append(failure)
            if len(failures) == 1:
                raise failures[0]
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(groups[group])} fail", failures)

        @wraps(test)
        def run(**others: Any) -> None:
            check(others.pop("group", ""), others)

        own = [parameter for name, parameter in inspect.signature(test).parameters.items() if name not in arguments]
        group = inspect.Parameter("group", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        run.__signature__ = inspect.Signature([*own, *([] if by is None else [group])])  # type: ignore[attr-defined]
        return run if by is None else pytest.mark.parametrize("group", groups)(run)

    return decorate


def name_of(value: Any) -> str:
    """Return what a person calls a value: a class and a function go by their names."""
    return str(getattr(value, "__name__", value))
