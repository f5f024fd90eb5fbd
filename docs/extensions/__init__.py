# SPDX-License-Identifier: BSD-3-Clause
"""What the site needs beyond Sphinx and its extensions."""
