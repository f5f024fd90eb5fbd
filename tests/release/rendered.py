# SPDX-License-Identifier: BSD-3-Clause
"""Render a recipe as rattler-build does before it builds: python rendered.py recipe.yaml.

It needs py-rattler-build, and nothing of this project.
"""

import sys
from pathlib import Path

from rattler_build import Stage0Recipe, VariantConfig

recipe = Stage0Recipe.from_file(Path(sys.argv[1]))
(variant,) = recipe.render(VariantConfig.from_yaml("python_min: ['3.11']"))
print(variant.recipe.to_dict())
