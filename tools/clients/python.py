"""The client of openapi-python-client: generated without a warning, and good for whole games."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from stack import console
from stack.errors import StackError
from tools.clients.places import DOCUMENT, OURS, OUT, run


def check(url: str) -> None:
    """Generate the client and let it play at a server.  Raises StackError with what is wrong."""
    folder = OUT / "python"
    programs = Path(sys.executable).parent
    program = shutil.which("openapi-python-client", path=str(programs))
    if program is None:
        raise StackError(
            "openapi-python-client is not installed: .venv/bin/python -m uv sync --group clients"
        )
    env = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}  # it calls ruff
    command = [program, "generate", "--path", str(DOCUMENT), "--output-path", str(folder), "--overwrite"]
    said = run(command, log=OUT / "python.log", env=env)
    if "warning" in said.lower():
        raise StackError(f"openapi-python-client warned, see {OUT / 'python.log'}")
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(OURS / "play.py"), url]
    console.say(run(command, log=OUT / "play.log", env={**os.environ, "PYTHONPATH": path}).rstrip())
