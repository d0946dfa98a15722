"""Where the clients go, and how the programs around them are run."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from stack.errors import StackError
from stack.places import CLONE

DOCUMENT: Final = CLONE / "openapi" / "openapi.yaml"
OUT: Final = CLONE / ".data" / "clients"
OURS: Final = Path(__file__).parent


def run(command: Sequence[str], *, log: Path, cwd: Path = CLONE, env: dict[str, str] | None = None) -> str:
    """Return what a program said, which is in ``log`` too.  Raises StackError where it fails."""
    ran = subprocess.run(  # noqa: S603
        command, cwd=cwd, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    log.write_text(ran.stdout, "utf-8")
    if ran.returncode:
        last = ran.stdout.strip().splitlines()[-12:]
        raise StackError("\n".join([f"{Path(command[0]).name} failed, see {log}:", *last]))
    return ran.stdout
