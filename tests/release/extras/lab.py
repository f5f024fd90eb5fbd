# SPDX-License-Identifier: BSD-3-Clause
"""The lab can be served, with the files of its page."""

from formulations.lab.app import lab_app

page = lab_app("token").routes[-1]
for name in ("index.html", "main.js"):
    assert page.app.lookup_path(name)[1] is not None, name
