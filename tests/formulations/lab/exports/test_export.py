# SPDX-License-Identifier: BSD-3-Clause
"""Files as answers to a page, and presets as what it can start from."""

import json
from base64 import b64decode

import pytest

from formulations.lab.exports import EXPORTS
from formulations.lab.server.menu import menu
from formulations.lab.server.messages import Ask
from formulations.lab.server.questions import answer_to
from formulations.lab.session import Session
from formulations.lab.settings import read_setting
from formulations.lab.settings.presets import PRESETS
from formulations.lab.views import VIEWS

SETTING = PRESETS["three-points"].setting


@pytest.mark.parametrize("what", EXPORTS)
def test_a_page_that_asks_is_sent_the_file(what: str) -> None:
    made = EXPORTS[what](SETTING)
    said = json.loads(answer_to(Ask(3, what), Session(), SETTING))
    assert said["seq"] == 3
    assert said["answer"]["file"] == made.file
    if isinstance(made.content, str):
        assert said["answer"]["text"] == made.content
    else:
        # The bytes of a zip archive hold the time; it begins and is as long as the other.
        assert b64decode(said["answer"]["base64"], validate=True)[:4] == made.content[:4] == b"PK\x03\x04"


def test_what_cannot_be_made_is_refused_in_words() -> None:
    said = json.loads(answer_to(Ask(4, "csv"), Session(), read_setting({}, VIEWS)))
    assert said == {"seq": 4, "refused": "there are no points to take along; add some first."}


def test_the_menu_offers_the_presets_as_settings() -> None:
    offered = json.loads(json.dumps(menu()))["presets"]
    assert [each["name"] for each in offered] == list(PRESETS)
    for each in offered:
        assert read_setting(each["setting"], VIEWS).same_problem(PRESETS[each["name"]].setting)
        assert each["title"] == PRESETS[each["name"]].title
