"""The README's own lines work as they stand, but for the server's address."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_game_by_curl_is_played_to_its_end(server: str, tmp_path: Path) -> None:
    """Two curl sessions, the shell lines of README.md, a whole match."""
    found = re.search(r"<!-- run by .*? -->\n```bash\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert found is not None
    lines = found[1].replace("http://127.0.0.1:8000", server)

    ran = subprocess.run(
        ["bash", "-eu", "-c", lines],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "NO_PROXY": "127.0.0.1"},
    )

    assert ran.returncode == 0, ran.stderr
    assert "playing" in ran.stdout.splitlines()[0]
    assert "'reason'" in ran.stdout.splitlines()[-1]
    assert (tmp_path / "transcript.json").stat().st_size > 10_000


def test_both_readmes_have_the_same_parts() -> None:
    """Each heading and each table row of one has its like in the other."""

    def shape(name: str) -> list[str]:
        lines = (ROOT / name).read_text().splitlines()
        return [line.split(" ")[0] for line in lines if line.startswith(("## ", "| "))]

    assert shape("README.md") == shape("README.es.md")


def test_every_local_link_leads_somewhere() -> None:
    """No dead link in the repository's own documents."""
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text()):
            if "://" not in target:
                assert (document.parent / target).exists(), f"{document.name}: {target}"
