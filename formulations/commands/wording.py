# SPDX-License-Identifier: BSD-3-Clause
"""What the packages say of their arguments, in the words of the options that these came from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any

from typer.models import OptionInfo

__all__ = ["in_words_of_options"]

_AUDIT = re.compile(r"audit\(\.\.\., (\w+)=\)")


def in_words_of_options(error: Exception, command: Callable[..., None], values: Mapping[str, Any]) -> str:
    """Return the message of an error for who gave options, and has no Python objects to change.

    Parameters
    ----------
    command
        The function whose parameters are the options.
    values
        Their values by the names of the parameters.
    """
    from qpkernels.errors import GramTooLargeError, IndefiniteKernelError

    options = signature(command).parameters
    if isinstance(error, IndefiniteKernelError):
        found = f"the kernel matrix has the eigenvalue {error.smallest_eigenvalue:.6g}, below 0"
        if "indefinite" not in options:
            return f"{found}, so that its problem is not convex, and nothing is proved of answers; take another kernel."
        return (
            f"{found}, so that the problem is not convex; take another kernel, or --indefinite clip, which sets such "
            f"eigenvalues to 0, or --indefinite shift, which adds at least {-error.smallest_eigenvalue:.6g} to the "
            "diagonal."
        )
    message = _AUDIT.sub(lambda found: "--C" if found[1] == "C" else f"--set {found[1]}=VALUE", str(error))
    message = message.replace("pass the X and y that", "take the file that")
    if isinstance(error, GramTooLargeError):
        return f"{message.partition(';')[0]}; take fewer samples, a --rank, or a solver without matrices: smo."
    if isinstance(error, MemoryError):
        return f"{message or 'the memory is full'}; take fewer samples or features."
    # An argument that no option set came otherwise: by --set, --try, or inside of an expression.
    name = message.partition(" must ")[0]
    given = {_option(key, each) for key, each in options.items() if values.get(key, each.default) != each.default}
    option = "--" + name.replace("_", "-")
    return f"--{message.replace(name, option[2:], 1)}" if option in given and "\n" not in message else message


def _option(name: str, parameter: Parameter) -> str | None:
    """Return the option of a parameter; None: it is an argument."""
    for each in getattr(parameter.annotation, "__metadata__", ()):
        if isinstance(each, OptionInfo):
            # typer moves what comes first, its default by position, to the names when it builds the command.
            words = (each.default, *(each.param_decls or ()))
            stated = [word for word in words if isinstance(word, str) and word.startswith("--")]
            return stated[0] if stated else "--" + name.replace("_", "-")
    return None
