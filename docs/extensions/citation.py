# SPDX-License-Identifier: BSD-3-Clause
"""``{bibtex}`` is the entry of ``CITATION.cff`` as BibTeX has it."""

from pathlib import Path
from typing import Any

import yaml
from sphinx.application import Sphinx

from extensions.model_pages import MarkdownDirective

FILE = Path(__file__).parents[2] / "CITATION.cff"


def setup(app: Sphinx) -> dict[str, bool]:
    """Know the directive."""
    app.add_directive("bibtex", Bibtex)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Bibtex(MarkdownDirective):
    """The entry, to be copied."""

    def text(self) -> str:
        """Return a block of code."""
        return f"```text\n{bibtex(yaml.safe_load(FILE.read_text(encoding='utf-8')))}\n```"


def bibtex(entry: dict[str, Any]) -> str:
    """Return the entry of a software."""
    fields = {
        "title": f"{{{entry['title']}}}",
        "author": " and ".join(map(_author, entry["authors"])),
        "version": entry["version"],
        "year": str(entry["date-released"])[:4] if "date-released" in entry else None,
        "doi": entry.get("doi"),
        "url": entry.get("repository-code") or entry.get("url"),
        "license": entry["license"],
    }
    lines = [f"  {name:<8}= {{{value}}}," for name, value in fields.items() if value]
    return "\n".join((f"@software{{{entry['title'].partition(':')[0]},", *lines, "}"))


def _author(author: dict[str, str]) -> str:
    """Return a person as BibTeX sorts them, and a group in braces, since it has no first name."""
    if "family-names" in author:
        return f"{author['family-names']}, {author['given-names']}"
    return f"{{{author['name']}}}"
