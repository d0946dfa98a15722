"""The types of openapi-typescript with openapi-fetch: strictly checked, and good for whole games."""

from __future__ import annotations

import shutil

from stack import console
from tools import npm
from tools.clients.places import DOCUMENT, OURS, OUT, run


def check(url: str) -> None:
    """Generate the types, check a program by them and let it play.  Raises StackError with what is wrong."""
    folder, packages = OUT / "typescript", npm.packages()
    (folder / "node_modules").symlink_to(packages)
    (folder / "package.json").write_text('{"type": "module"}\n', "utf-8")
    for name in ("play.ts", "tsconfig.json"):
        shutil.copy(OURS / name, folder)

    def tool(name: str, *arguments: str) -> None:
        command = [npm.node(), str((packages / ".bin" / name).resolve()), *arguments]
        run(command, log=folder / f"{name}.log", cwd=folder)

    tool("openapi-typescript", str(DOCUMENT), "--default-non-nullable", "false", "--output", "posta.ts")
    tool("tsc")
    console.say(run([npm.node(), "play.js", url], log=folder / "play.log", cwd=folder).rstrip())
