# SPDX-License-Identifier: BSD-3-Clause
"""The site, as Sphinx reads it: make docs."""

import sys
from pathlib import Path

import qpkernels

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # the package extensions

project = "qpkernels"
author = "The qpkernels developers"
project_copyright = author
version = release = qpkernels.__version__

extensions = [
    "myst_nb",
    "matplotlib.sphinxext.plot_directive",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "extensions.alternative_texts",
    "extensions.citation",
    "extensions.complete_docstrings",
    "extensions.concordance_page",
    "extensions.exercises",
    "extensions.failures",
    "extensions.gallery_pages",
    "extensions.gallery_pictures",
    "extensions.headline",
    "extensions.lab_frame",
    "extensions.lab_site",
    "extensions.light_pictures",
    "extensions.light_theme",
    "extensions.mathjax_files",
    "extensions.model_map",
    "extensions.model_pages",
    "extensions.module_listings",
    "extensions.page_contents",
    "extensions.page_figures",
    "extensions.plain_docstrings",
    "extensions.problems",
    "extensions.reference",
    "extensions.tables",
]
exclude_patterns = [
    "_build",
    "examples",
    "gallery/**.ipynb",
    "performance/tips.md",  # parts of use/performance.md
    "performance/deploying.md",  # a part of use/deploying.md
    "performance/proofs.md",  # a part of proofs.md
    "trust/[!R]*.md",  # parts of trust/README.md
]
nitpicky = True
nitpick_ignore_regex = [("py:.*", r".*")]
templates_path = ["templates"]
highlight_language = "none"  # of blocks that say nothing: problems in plain text. Examples are known by their prompts.

# Pages are MyST; those that begin with "file_format: mystnb" are executed from top to bottom.
myst_enable_extensions = [
    "amsmath",
    "attrs_block",
    "attrs_inline",
    "colon_fence",
    "deflist",
    "dollarmath",
    "substitution",
]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_timeout = 240
nb_execution_show_tb = True
nb_merge_streams = True
nb_code_prompt_show = "Show the code"
nb_code_prompt_hide = "Hide the code"

autosummary_generate = True
toc_object_entries_show_parents = "hide"
autosummary_filename_map = {"formulations.audit": "formulations.audit-function"}  # beside formulations.Audit
autodoc_typehints = "none"  # signatures have them
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "subsection_order": [f"examples/{section}" for section in ("textbook", "own", "pictures", "proofs")],
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "gallery/uses",
    "doc_module": ("qpkernels", "formulations"),
    "reset_modules": ("matplotlib",),
    "capture_repr": ("_repr_html_",),
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "remove_config_comments": True,
    "download_all_examples": False,
    "image_scrapers": ("extensions.gallery_pictures.scrape",),
    "only_warn_on_example_error": True,  # as of every other page; make docs fails on warnings
}

plot_formats = [("png", 110)]
plot_include_source = False
plot_html_show_formats = False
plot_html_show_source_link = False
plot_rcparams = {"savefig.bbox": "tight"}

# What is copied of an example, or of a command, can be pasted.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "qpkernels"
html_favicon = "static/icon.svg"
html_logo = "static/icon.svg"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_search_scorer = str(HERE / "static" / "scorer.js")
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "qpkernels", "alt_text": "Two classes and the margin between them"},
    "navbar_start": ["navbar-logo"],
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "collapse_navigation": True,  # a page of the reference lists its own section, not all 400 pages
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "back_to_top_button": False,
}
html_context = {"default_mode": "auto"}
# There is nothing below these, or a wide table on them.
html_sidebars: dict[str, list[str]] = {
    page: []
    for page in (
        *("index", "changelog", "citing", "concordance", "errata", "glossary"),
        *("why", "questions", "cheat-sheet", "stability"),
    )
}
