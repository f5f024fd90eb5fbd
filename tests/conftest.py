# SPDX-License-Identifier: BSD-3-Clause
"""Property tests draw the same examples in every run."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=25)
settings.load_profile("repeatable")
