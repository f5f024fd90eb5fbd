# SPDX-License-Identifier: BSD-3-Clause
"""What notebooks ask of an object: its mimebundle, and small pictures that follow the colours of the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

__all__ = ["Displayed", "bars"]


class Displayed:
    """An object that shows itself in a notebook, as text, HTML and, where it has a formula, LaTeX.

    ``print`` writes what is easy to read, of several lines perhaps; ``repr`` is one line.
    """

    def _repr_html_(self) -> str:
        """Return it as HTML, everything escaped, without resources from elsewhere and without colours of its own."""
        raise NotImplementedError(f"a {type(self).__name__} must say how it looks in HTML")

    def _repr_latex_(self) -> str | None:
        """Return its formula in LaTeX, or None."""
        return None

    def _repr_mimebundle_(self, **limits: object) -> dict[str, str]:
        """Return all that a front end may choose from."""
        del limits
        latex = self._repr_latex_()
        bundle = {"text/plain": str(self), "text/html": self._repr_html_()}
        return bundle if latex is None else bundle | {"text/latex": latex}


_WIDTH, _ROW, _LABEL, _VALUE = 260, 18, 110, 60
_LEAST = -16.0


def bars(measures: Sequence[tuple[str, float]]) -> str:
    """Return an inline SVG of numbers from 1e-16 to 1 as bars on a logarithmic scale, in the colour of the text.

    What is beyond either end has a bar to that end; NaN has none.
    """
    height = _ROW * (len(measures) + 1)
    total = _LABEL + _WIDTH + _VALUE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{total}" height="{height}" '
        f'viewBox="0 0 {total} {height}" fill="currentColor" font-size="11">'
    ]
    for k, (label, value) in enumerate(measures):
        top = k * _ROW
        parts.append(f'<text x="0" y="{top + 13}">{escape(label)}</text>')
        parts.append(
            f'<rect x="{_LABEL}" y="{top + 4}" width="{_length(value):.1f}" height="{_ROW - 8}" opacity="0.55"/>'
        )
        parts.append(f'<text x="{_LABEL + _WIDTH + 6}" y="{top + 13}">{value:.1e}</text>')
    bottom = len(measures) * _ROW
    for exponent in range(int(_LEAST), 1, 4):
        x = _LABEL + _WIDTH * (1 - exponent / _LEAST)
        parts.append(
            f'<line x1="{x:.1f}" y1="0" x2="{x:.1f}" y2="{bottom}" stroke="currentColor" stroke-opacity="0.25"/>'
        )
        parts.append(
            f'<text x="{x:.1f}" y="{bottom + 13}" text-anchor="middle" opacity="0.7">{10.0**exponent:g}</text>'
        )
    return "".join([*parts, "</svg>"])


def _length(value: float) -> float:
    size = abs(value)
    if math.isnan(size) or size == 0:
        return 0.0
    exponent = 0.0 if math.isinf(size) else math.log10(size)
    # A number below the scale is still seen.
    return max(2.0, _WIDTH * (1 - min(max(exponent, _LEAST), 0.0) / _LEAST))
