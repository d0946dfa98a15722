"""Two clients in TypeScript, strictly checked with a program that plays whole games by them.

The types of openapi-typescript with openapi-fetch, and the functions of hey-api.
"""

from __future__ import annotations

import shutil
from typing import Final

from stack import console
from tools import npm
from tools.clients.places import DOCUMENT, OURS, OUT, run

GENERATORS: Final = {
    "typescript": (
        *("openapi-typescript", str(DOCUMENT)),
        *("--default-non-nullable", "false", "--output", "posta.ts"),
    ),
    "hey-api": (
        *("openapi-ts", "--file", str(OURS / "openapi-ts.config.json")),
        *("--input", str(DOCUMENT), "--no-log-file"),
    ),
}
"""How each is generated; only a file tells hey-api to import as Node does."""


def check(client: str, url: str) -> None:
    """Generate a client, check its program by it and let that play.  Raises StackError with what is wrong."""
    folder, packages = OUT / client, npm.packages()
    (folder / "node_modules").symlink_to(packages)
    (folder / "package.json").write_text('{"type": "module"}\n', "utf-8")
    shutil.copy(OURS / f"{client}.ts", folder / "play.ts")
    shutil.copy(OURS / "tsconfig.json", folder)

    def tool(name: str, *arguments: str) -> None:
        command = [npm.node(), str((packages / ".bin" / name).resolve()), *arguments]
        run(command, log=folder / f"{name}.log", cwd=folder)

    tool(*GENERATORS[client])
    tool("tsc")
    console.say(run([npm.node(), "play.js", url], log=folder / "play.log", cwd=folder).rstrip())
