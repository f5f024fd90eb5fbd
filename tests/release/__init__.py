# SPDX-License-Identifier: BSD-3-Clause
"""What is published, built and used where there is no repository: python -m tests.release."""
