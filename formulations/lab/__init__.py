# SPDX-License-Identifier: BSD-3-Clause
"""The lab: a page on which points are drawn and moved, and the machine answers at once, with its proof.

The data goes round: the page sends its :class:`~formulations.lab.settings.Setting` (points, machine, kernel,
view); the :class:`~formulations.lab.session.Session` of that page solves the model and draws it into a
:class:`~formulations.lab.drawing.Frame`; the page shows that frame. A frame depends on the setting alone, so that
a setting can be linked, restored and exported.
"""

__all__: list[str] = []
