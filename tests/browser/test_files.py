"""What the server serves of the client: whole, small, under a strict policy."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import httpx

from config import web
from tests.verify.javascript import NODE

WEB = Path(__file__).resolve().parents[2] / "web"
FILES = sorted(each for each in WEB.rglob("*") if each.suffix in web.TYPES)
MOST = 150_000


def test_the_client_is_small(server: str) -> None:
    """All that is served of it, uncompressed; the verifier is a program of its own."""
    names = ["", *(f"web/{each.relative_to(WEB).as_posix()}" for each in FILES if each.name != "index.html")]
    plain = {"Accept-Encoding": "identity"}
    assert sum(len(httpx.get(f"{server}/{each}", headers=plain).content) for each in names) < MOST


def test_what_travels_of_each_script_is_a_script() -> None:
    """No template within the hole of another: rjsmin would take the spaces of what it thinks is code."""
    scripts = [each.read_text() for each in FILES if each.suffix == ".js"]
    assert not [found for each in scripts for found in re.findall(r"\$\{[^}`]*`.*", each)]
    leaned = json.dumps([web.LEAN[".js"](each) for each in scripts])
    check = f"const vm = require('vm'); for (const each of {leaned}) new vm.SourceTextModule(each);"
    subprocess.run(
        [NODE, "--experimental-vm-modules", "--no-warnings", "-"], input=check.encode(), check=True
    )


def test_the_page_and_its_modules_come_from_this_server_under_a_strict_policy(server: str) -> None:
    page = httpx.get(f"{server}/")
    policy = page.headers["Content-Security-Policy"]

    assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"<script(?![^>]* src=)|<style| style=| on[a-z]+=", page.text)
    for name in re.findall(r'(?:src|href)="([^"#]+)"', page.text):
        assert httpx.get(server + name).status_code == 200


def test_the_page_foretells_what_each_card_of_reafan_scores() -> None:
    """In every recorded game that the table played no card of, as the engine has reckoned it."""
    games = [json.loads(each.read_bytes()) for each in (WEB.parent / "tests/golden/reafan").glob("*.json")]
    told = [
        [
            {**step["params"], "points": points}
            for step, points in zip(game["steps"], game["expected"]["points"], strict=True)
            if step.get("kind") in ("place", "cover", "swap")
        ]
        for game in games
        if not any("timeout" in step for step in game["steps"])
    ]
    program = f"""
    import {{ gain }} from {json.dumps((WEB / "games/reafan_score.js").as_uri())};
    for (const game of {json.dumps(told)}) {{
      const board = [];
      for (const play of game) {{
        if (gain(board, play) !== play.points) throw new Error(JSON.stringify([board, play]));
        const rest = board.filter((each) => each.x !== play.x || each.y !== play.y);
        board.splice(0, board.length, ...rest, play);
      }}
    }}"""
    assert sum(map(len, told)) > 100
    subprocess.run([NODE, "--input-type=module", "-"], input=program.encode(), check=True)


def test_every_import_leads_to_a_file_that_is_served(server: str) -> None:
    wanted = {
        (path.parent / name).resolve().relative_to(WEB).as_posix()
        for path in FILES
        for name in re.findall(r'from "(\.[^"]+)"', path.read_text())
    }
    for found in sorted(wanted):
        answer = httpx.get(f"{server}/web/{found}")
        assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8", found


def test_a_file_that_the_browser_holds_is_not_sent_again(server: str) -> None:
    first = httpx.get(f"{server}/web/app.js")
    again = httpx.get(f"{server}/web/app.js", headers={"If-None-Match": first.headers["ETag"]})

    assert first.headers["Content-Encoding"] == "gzip"
    assert (again.status_code, again.content) == (304, b"")


def test_nothing_outside_of_the_client_is_served(server: str) -> None:
    for name in ("../manage.py", "..%2fmanage.py", "nothing.js", "pages", ""):
        assert httpx.get(f"{server}/web/{name}").status_code == 404


def test_no_text_becomes_markup_and_no_address_leads_elsewhere() -> None:
    for path in FILES:
        told = path.read_text().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|https?://", told), (
            path
        )


def test_every_word_of_the_page_is_there_in_both_languages() -> None:
    words = (WEB / "words.js").read_text()
    known = set(re.findall(r"^  (\w+): \[\"[^\"]+\", \"[^\"]+\"\],$", words, re.MULTILINE))
    assert len(known) > 100
    for path in FILES:
        assert set(re.findall(r"\bt\(\"(\w+)\"", path.read_text())) <= known, path
