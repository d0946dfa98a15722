"""The guides: both languages tell the same, what they show is run, and their pages need nobody else."""

from __future__ import annotations

import re
import subprocess
from html import escape
from pathlib import Path

import httpx
import pytest

from tables import wording
from tables.api import guides

ROOT = Path(__file__).resolve().parents[2]


def _blocks(file: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", file.read_text(), re.DOTALL)


def _run(file: Path, server: str, cwd: Path) -> list[str]:
    lines = "".join(_blocks(file, "bash")).replace("http://127.0.0.1:8000", server)
    ran = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", lines], cwd=cwd, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


@pytest.mark.long
def test_a_game_is_played_by_the_lines_of_the_first_guide(server: str, tmp_path: Path) -> None:
    said = _run(ROOT / "docs/guides/start.md", server, tmp_path)

    assert said[1:4] == ["reafan", "['greedy', 'random', 'searcher']", "playing"]
    assert said[4] == "['mulligan']"
    assert said[6] in ("1", "2"), "the bot may have answered before"
    assert re.fullmatch("[a-z_]+", said[7])
    assert said[8].endswith(".")
    assert len(said) == 9
    assert (tmp_path / "transcript.json").stat().st_size > 10_000


@pytest.mark.long
def test_the_lines_of_the_others_run(server: str, tmp_path: Path) -> None:
    said = _run(ROOT / "docs/guides/live.md", server, tmp_path)
    assert said[0] == "table.opened"
    assert said[1] == "retry: 3000"

    assert _run(ROOT / "docs/guides/errors.md", server, tmp_path) == ["unauthenticated"]
    assert _run(ROOT / "docs/guides/webhooks.md", server, tmp_path) == ["unverified"]
    assert _run(ROOT / "docs/guides/accounts.md", server, tmp_path) == ["list", "profile:read", "a screen"]


@pytest.mark.parametrize(
    "name", ["start", "accounts", "playing", "clocks", "secrecy", "live", "webhooks", "errors"]
)
def test_both_languages_have_the_same_parts_and_lines(name: str) -> None:
    english, spanish = (ROOT / f"docs/guides/{name}{ending}" for ending in (".md", ".es.md"))

    def shape(file: Path) -> list[str]:
        return [
            line.split(" ")[0] for line in file.read_text().splitlines() if re.match(r"#+ |[-|] ?|```", line)
        ]

    assert [each for each in shape(english) if each != "|"] == [
        each for each in shape(spanish) if each != "|"
    ]
    for language in ("bash", "json"):
        assert _blocks(english, language) == _blocks(spanish, language)


@pytest.mark.parametrize("locale", wording.LOCALES)
@pytest.mark.parametrize("name", guides.GUIDES)
def test_every_link_between_guides_leads_to_a_heading(name: str, locale: str) -> None:
    for where, part in re.findall(
        r'href="/docs/guides/([^"#]+)(?:#([^"]+))?"', guides.guide(name, locale).body
    ):
        assert where in guides.GUIDES
        assert not part or f'id="{part}"' in guides.guide(where, locale).body, (where, part)


def test_a_guide_is_a_page_in_the_language_asked_for(server: str) -> None:
    address = f"{server}/docs/guides/start"

    spanish = httpx.get(address, headers={"Accept-Language": "es-AR,en;q=0.5"})
    english = httpx.get(f"{address}?lang=en", headers={"Accept-Language": "es"})

    assert (spanish.headers["Content-Language"], english.headers["Content-Language"]) == ("es", "en")
    assert '<h1 id="primeros-pasos">Primeros pasos</h1>' in spanish.text
    assert '<h1 id="start-here">Start here</h1>' in english.text
    assert "script" not in spanish.headers["Content-Security-Policy"]
    assert re.findall(r'(?:src|href)="(https?:[^"]*)', spanish.text) == []
    assert httpx.get(f"{server}/docs/assets/guides.css").headers["Content-Type"].startswith("text/css")
    assert httpx.get(f"{server}/docs/guides/no-such").status_code == 404


def test_the_list_of_codes_is_in_the_language_asked_for(server: str) -> None:
    page = httpx.get(f"{server}/docs/errors?lang=es").text
    for code, (_, spanish) in (*wording.DETAILS.items(), *wording.FIELDS.items()):
        assert f'<dt id="{code}">' in page
        assert f"<dd>{escape(spanish)}</dd>" in page


def test_the_format_of_transcripts_is_there_for_whoever_writes_a_verifier(server: str) -> None:
    told = httpx.get(f"{server}/docs/transcript")
    assert told.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert told.text == (ROOT / "docs/transcript.md").read_text("utf-8")
