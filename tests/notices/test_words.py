"""Every notice has its words in both languages, and none says more than the public may know."""

from __future__ import annotations

import re
from itertools import chain

import pytest

from tables.notices import words
from tables.shapes import KINDS
from tables.wording import LOCALES

UNTIL = 1_767_636_000_000  # 5 January 2026, 18:00 UTC


@pytest.mark.parametrize("what", words.NOTICES)
def test_a_notice_is_worded_in_both_languages(what: str) -> None:
    notice = words.NOTICES[what]
    assert notice.kind in KINDS
    for until in (None, UNTIL):
        texts = [words.text(what, locale, until=until, zone="Europe/Madrid") for locale in LOCALES]
        assert texts[0] != texts[1]
        assert all(re.fullmatch(r"[^{}]+[^.{}]\.", text) for text in texts), texts
    assert words.title(what, "en") != words.title(what, "es")


def test_every_kind_has_a_notice_and_a_name() -> None:
    assert {each.kind for each in words.NOTICES.values()} == set(KINDS) == set(words.KIND_NAMES)


def test_the_frame_has_both_languages_with_the_same_blanks() -> None:
    for english, spanish in chain(words.FRAME.values(), words.KIND_NAMES.values()):
        assert english != spanish
        assert set(re.findall(r"\{\w+\}", english)) == set(re.findall(r"\{\w+\}", spanish))


def test_a_time_is_told_by_the_clocks_of_its_reader() -> None:
    assert words.moment(UNTIL, "en", "Europe/Madrid") == "5 January 2026, 19:00 (Europe/Madrid)"
    assert words.moment(UNTIL, "es", "America/Bogota") == "5 de enero de 2026, 13:00 (America/Bogota)"
    assert words.moment(UNTIL, "en", "../etc/passwd") == "5 January 2026, 18:00 (UTC)"
