# SPDX-License-Identifier: BSD-3-Clause
"""Which page shows a model: by the directives of docs/models."""

import re
from functools import cache
from pathlib import Path

__all__ = ["FOLDER", "pages"]

FOLDER = Path(__file__).parent.parent / "models"


@cache
def pages(*shown: str) -> dict[str, Path]:
    """Return the page of each model, by its name, that shows one of these: its forms, solvers, conventions, letters."""
    named = re.compile(rf"^```\{{model-(?:{'|'.join(shown)})\}} (\w+(?: \w+)*)$", re.MULTILINE)
    found: dict[str, Path] = {}
    for page in sorted(FOLDER.glob("*.md")):
        for names in named.findall(page.read_text(encoding="utf-8")):
            found |= dict.fromkeys(names.split(), page)
    return found
