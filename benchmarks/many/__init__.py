# SPDX-License-Identifier: BSD-3-Clause
"""Many machines at once: trained together, searched among, and changed sample by sample."""
