# SPDX-License-Identifier: BSD-3-Clause
"""The fast tests on the oldest releases that pyproject.toml promises, and on the newest that can be had.

``nox`` runs both on the oldest Python that is supported, ``nox --session newest-3.13`` the newest releases on another
one. The environments are made by uv, in .nox.
"""

import nox

nox.options.default_venv_backend = "uv"
nox.options.sessions = ["oldest", "newest-3.11"]

OLDEST = "3.11"
PYTHONS = [OLDEST, "3.12", "3.13", "3.14"]
TESTED = ["--editable", ".[test]"]


@nox.session(python=OLDEST)
def oldest(session: nox.Session) -> None:
    """Every dependency at its lower bound; what those need in turn is new."""
    session.install("--resolution", "lowest-direct", *TESTED)
    # An old release calls what a new one below it deprecates; that is no fault of ours.
    check(session, "-W", "ignore::DeprecationWarning")


@nox.session(python=PYTHONS)
def newest(session: nox.Session) -> None:
    """Every dependency at its newest release."""
    session.install("--upgrade", *TESTED)
    check(session)


def check(session: nox.Session, *options: str) -> None:
    """List what was installed, and run the fast tests or what is asked for after ``--``."""
    session.run("uv", "pip", "list", external=True)
    session.run("python", "-m", "pytest", *options, *(session.posargs or ["-m", "not slow"]))
