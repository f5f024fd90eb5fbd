# SPDX-License-Identifier: BSD-3-Clause
"""Objects that are made once and then only asked."""

from __future__ import annotations

__all__ = ["Frozen"]


class Frozen:
    """An object whose attributes are set while it is made, and none afterwards."""

    _frozen = False

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute while the object is being made; refuse afterwards."""
        if self._frozen:
            raise AttributeError(
                f"a {type(self).__name__} is frozen, so {name!r} cannot be set; state a new model, or change a "
                "hyper-parameter by set_params."
            )
        super().__setattr__(name, value)

    def freeze(self) -> None:
        """Refuse further attributes."""
        self._frozen = True
