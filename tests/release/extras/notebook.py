# SPDX-License-Identifier: BSD-3-Clause
"""The lab of notebooks is made, with the files of its page."""

from formulations.lab.notebook import Lab

assert "export" in Lab()._esm
