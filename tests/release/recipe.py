# SPDX-License-Identifier: BSD-3-Clause
"""The recipe of conda-forge, made of recipe/recipe.yaml for one source distribution."""

from __future__ import annotations

import hashlib
from email.message import Message
from pathlib import Path

from packaging.requirements import Requirement

TEMPLATE = Path(__file__).parents[2] / "recipe" / "recipe.yaml"


def write_recipe(facts: Message, sdist: Path) -> Path:
    """Fill in version, hash and requirements, and write the recipe beside the source distribution."""
    needed = [Requirement(line) for line in facts.get_all("Requires-Dist", [])]
    lines = [f"    - {each.name} {each.specifier}" for each in needed if each.marker is None]
    text = TEMPLATE.read_text(encoding="utf-8")
    for mark, value in (
        ("@version@", facts["Version"]),
        ("@sha256@", hashlib.sha256(sdist.read_bytes()).hexdigest()),
        ("    # @requirements@", "\n".join(lines)),
    ):
        text = text.replace(mark, value)
    path = sdist.parent / "recipe" / "recipe.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
