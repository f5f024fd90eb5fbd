# SPDX-License-Identifier: BSD-3-Clause
"""KernelQP problems that belong together: many at once, one that changes, and all along a parameter.

:mod:`~qpkernels.families.batch` solves many on samples of one kernel matrix side by side,
:mod:`~qpkernels.families.incremental` one whose samples come and go, from the answer before, and
:mod:`~qpkernels.families.paths` all between two. Each loads no more than it needs.
"""

__all__: list[str] = []
