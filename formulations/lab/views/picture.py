# SPDX-License-Identifier: BSD-3-Clause
"""The machine alone."""

from __future__ import annotations

from formulations.lab.views.base import Drawn, ViewKind

__all__ = ["PICTURE"]


PICTURE = ViewKind("picture", "Picture", lambda *_: Drawn())
