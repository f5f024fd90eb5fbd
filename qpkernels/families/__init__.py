# SPDX-License-Identifier: BSD-3-Clause
"""Related KernelQP problems: many at once, one that changes, and all problems along a parameter.

:mod:`~qpkernels.families.batch` solves many on samples of one kernel matrix side by side.
:mod:`~qpkernels.families.incremental` solves one whose samples come and go, starting from the last answer, and
:mod:`~qpkernels.families.paths` solves all problems between two. Each loads no more than it needs.
"""

__all__: list[str] = []
