# SPDX-License-Identifier: BSD-3-Clause
"""Proofs changed on purpose: whatever the checker still calls proved must be true, by a computation of its own.

``python -m tests.proofs`` changes 10,000 files, and says what became of them; ``python -m tests.proofs --seed N`` shows
one again.
"""
