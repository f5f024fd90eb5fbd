# SPDX-License-Identifier: BSD-3-Clause
"""Random models in bad shape, each solved twice, and answers forged on purpose: whatever is called proved must be true.

``python -m tests.attack`` runs many of them; ``python -m tests.attack --seed N`` runs one again, and says what it is.
"""
