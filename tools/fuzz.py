"""``make fuzz``: schemathesis asks a server of its own what the document allows, and much that it does not.

Three seeds, each through all of its phases, stateful ones along the links of the document included; then the
live process.  No answer may be a failure of the server's, and every refusal is a problem document.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from stack import console, temporary
from stack.__main__ import told
from stack.errors import StackError
from stack.places import CLONE
from stack.temporary import Running

DOCUMENT: Final = CLONE / "openapi" / "openapi.yaml"
PHASES: Final = ("examples", "coverage", "fuzzing", "stateful")
WITHOUT_END: Final = ("streamEvents", "streamMyEvents")
ACCEPTED: Final = ("2xx", "304", "401", "403", "404", "409", "412", "422", "429")
"""What may be answered to what the schema allows: a schema can say neither rules nor what has happened."""
STATEFUL: Final = 3
"""How many scenarios of several requests for each example of an operation."""
CONFIG: Final = f"""\
cache.enabled = false
request-timeout = 60
suppress-health-check = ["all"]
[generation]
allow-x00 = false
with-security-parameters = false
database = "none"
[phases.stateful]
max-steps = 24
inference.algorithms = []
generation.max-examples = {{scenarios}}
[checks]
positive_data_acceptance.expected-statuses = {json.dumps(ACCEPTED)}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A server, who calls it, and how schemathesis goes about it."""

    server: Running
    callers: Sequence[Mapping[str, Any]]
    folder: Path
    examples: int
    phases: Sequence[str]

    def fuzz(self, seed: int, *, live: bool) -> tuple[bool, Counter[str]]:
        """Run schemathesis once; return whether it found nothing, and how often each status was answered."""
        phases = [each for each in self.phases if not live or each != "stateful"]  # links begin at the API
        if not phases:
            return True, Counter()
        config, count = self.folder / "config.toml", self.folder / "count.json"
        config.write_text(CONFIG.format(scenarios=STATEFUL * self.examples), "utf-8")
        count.unlink(missing_ok=True)
        url, where = (self.server.live_url, "include") if live else (self.server.url, "exclude")
        command = [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run", str(DOCUMENT)),
            *("--url", url, f"--{where}-path-regex", "^/v1/live/", "--phases", ",".join(phases)),
            *("--seed", str(seed), "-n", str(self.examples), "--continue-on-failure"),
            *(word for name in WITHOUT_END for word in ("--exclude-operation-id", name)),
        ]
        env = {
            **os.environ,
            "SCHEMATHESIS_HOOKS": "tools.fuzz_hooks",
            "POSTA_FUZZ_TOKENS": ",".join(each["token"] for each in self.callers),
            "POSTA_FUZZ_KEPT": ",".join(each["details"]["id"] for each in self.callers),
            "POSTA_FUZZ_URL": self.server.url,
            "POSTA_FUZZ_COUNT": str(count),
        }
        code = subprocess.run(command, cwd=CLONE, env=env, check=False).returncode  # noqa: S603
        if not count.exists():
            raise StackError("schemathesis did not run, as it says above.")
        return code == 0, Counter(json.loads(count.read_text("utf-8")))


def main() -> int:
    """Do what the command line says; return the exit code."""
    return told(lambda: _run(_options()))


def _run(options: argparse.Namespace) -> int:
    began, answers, failed = time.monotonic(), Counter[str](), False
    with (
        temporary.running(live=True, env={"POSTA_THROTTLES": "0"}) as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        run = Run(
            server=server,
            callers=[_caller(server.url) for _ in range(2)],
            folder=Path(folder),
            examples=options.examples,
            phases=options.phases,
        )
        for seed in options.seeds:
            for live in (False, True):
                console.say(f"\nSeed {seed}, the {'live process' if live else 'API'}")
                is_right, counted = run.fuzz(seed, live=live)
                failed |= not is_right
                answers += counted
    return _tell(answers, options.cases, failed=failed, seconds=time.monotonic() - began)


def _tell(answers: Counter[str], wanted: int, *, failed: bool, seconds: float) -> int:
    """Say what was answered; return the exit code."""
    faults = sum(count for status, count in answers.items() if status.startswith("5"))
    each = ", ".join(f"{status}: {count:,}" for status, count in sorted(answers.items()))
    console.say(f"\n{answers.total():,} cases in {seconds:.0f} s, {faults} failures of the server's; {each}")
    if is_short := answers.total() < wanted:
        console.complain(f"{wanted:,} cases were wanted: raise --examples.")
    return 1 if failed or faults or is_short else 0


def _caller(url: str) -> Mapping[str, Any]:
    """Return an account and its token, as the server tells them."""
    body = {"name": f"fuzz-{secrets.token_hex(6)}", "password": secrets.token_urlsafe(16)}
    answer: Mapping[str, Any] = (
        httpx.post(f"{url}/v1/players", json=body, timeout=60).raise_for_status().json()
    )
    return answer


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description="Fuzz the API by its document.")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--examples", type=int, default=28, help="for each operation and phase, at most")
    parser.add_argument("--cases", type=int, default=20_000, help="fewer in all fail the run")
    parser.add_argument("--phases", nargs="+", choices=PHASES, default=PHASES)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
