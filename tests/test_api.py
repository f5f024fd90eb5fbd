# SPDX-License-Identifier: BSD-3-Clause
"""The public face: every name exists, is documented, and no file outgrows its purpose."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import ModuleType

import formulations
import qpkernels
import qpkernels.errors as errors
from together import together

SOURCE = Path(qpkernels.__file__).parent.parent
MODULES = [
    importlib.import_module(name)
    for package in (qpkernels, formulations)
    for name in (
        package.__name__,
        *(info.name for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")),
    )
]
FILES = sorted(path for package in ("qpkernels", "formulations") for path in (SOURCE / package).rglob("*.py"))
every_module = together("module", MODULES)
ERRORS = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, Exception)]


def public_members(kind: type) -> Iterator[str]:
    """The methods and properties that a class of this project defines itself."""
    for name, value in vars(kind).items():
        plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if not name.startswith("_") and (inspect.isfunction(plain) or isinstance(plain, property | cached_property)):
            yield name


def documented(kind: type, name: str) -> bool:
    return any(inspect.getdoc(vars(parent)[name]) for parent in kind.__mro__ if name in vars(parent))


def test_the_modules_are_found() -> None:
    names = {module.__name__ for module in MODULES}
    assert {
        "qpkernels",
        "qpkernels.kernels.laplacian",
        "qpkernels.solvers.smo",
        "formulations",
        "formulations.modelling.model",
    } <= names
    # Scripts for the programs of others are files of this project, and no modules of it.
    assert len([path for path in FILES if path.parent.name != "loaders"]) == len(MODULES)


@every_module
def test_every_promised_name_exists_once(module: ModuleType) -> None:
    promised = module.__all__
    assert len(promised) == len(set(promised))
    assert [name for name in promised if not hasattr(module, name)] == []


@every_module
def test_everything_public_is_documented(module: ModuleType) -> None:
    assert inspect.getdoc(module)
    silent = []
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isclass(value):
            # An own docstring: a dataclass without one gets its signature, which says nothing.
            text = vars(value).get("__doc__") or ""
            if not text or text.startswith(f"{name}("):
                silent.append(name)
            silent += [f"{name}.{member}" for member in public_members(value) if not documented(value, member)]
        elif (
            callable(value) and value.__module__.startswith(("qpkernels", "formulations")) and not inspect.getdoc(value)
        ):
            silent.append(name)
    assert silent == []


@together("error", ERRORS)
def test_every_error_is_ours_and_one_of_pythons(error: type[Exception]) -> None:
    assert issubclass(error, errors.QPKernelsError)
    assert error.__name__ in errors.__all__
    assert error.__doc__
    if error is not errors.QPKernelsError:
        pythons = [parent for parent in error.__mro__ if parent.__module__ == "builtins"]
        assert pythons[0] not in (Exception, BaseException)


def test_every_file_states_its_licence() -> None:
    licence = "# SPDX-License-Identifier: BSD-3-Clause\n"
    assert [path for path in FILES if not path.read_text(encoding="utf-8").startswith(licence)] == []
