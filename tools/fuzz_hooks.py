"""What schemathesis does otherwise for this API; it imports this module by ``SCHEMATHESIS_HOOKS``.

Who calls, what must not happen to the caller's own account, what every refusal must be, and the count.
"""

from __future__ import annotations

import atexit
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any, Final

import schemathesis

from tools.fuzz_world import TOKENS, World

PROBLEM: Final = "application/problem+json"
KEPT: Final = frozenset(os.environ["POSTA_FUZZ_KEPT"].split(","))  # ids of those tokens, which stay valid
NOWHERE: Final = "00000000-0000-4000-8000-000000000000"
ENDS_AN_ACCOUNT: Final = frozenset({"signOut", "deleteMe", "keepGuest"})
OTHERS_DO: Final = frozenset({"joinTable", "acceptArbitration", "takeSeatOver", "castVote"})
RENEWED_EVERY: Final = 500
BEYOND_A_SCHEMA: Final = frozenset(
    {
        *("unknown_value", "out_of_range", "missing_field", "unknown_field", "duplicate_key", "no_bots"),
        *("bad_name", "blank_text", "control_character", "bad_text", "number_too_large", "too_deep"),
    }
)
"""Codes of what is wrong beside other fields, or beside what the server knows; of texts that no pattern of
all languages tells; and of JSON that not every reader can hold."""
OF_ANOTHER_FORM: Final = frozenset({"?cursor", "?after", "#/email", "#/url", "#/bots"})
"""What has another form than a schema can say: cursors of this server, addresses to be mailed or called, how
many bots fit a game."""

answers: Counter[str] = Counter()
world = World()


class Caller:
    """Who sends a request: mostly the first of two players, a guest where it ends an account."""

    def get(self, case: Any, _: Any) -> str:
        """Return a token."""
        name = operation_id(case)
        if name in ENDS_AN_ACCOUNT:
            return world.guest()
        return TOKENS[name in OTHERS_DO or answers.total() % 3 == 2]

    def set(self, case: Any, data: str, _: Any) -> None:
        """Send the token along."""
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}


def before_call(_: Any, case: Any, **__: Any) -> None:
    """Ask about what there is, mostly; leave alone what would end the run, or take long."""
    count, name, path = answers.total(), operation_id(case), case.path_parameters or {}
    if count % RENEWED_EVERY == RENEWED_EVERY - 1:
        world.renew()
    if path.get("token_id") in KEPT:
        path["token_id"] = NOWHERE
    if "table_id" in path:
        path["table_id"] = world.table(path["table_id"], count)
    if name == "openTable" and isinstance(case.body, dict) and "game" in case.body:
        case.body["game"] = world.games[count % len(world.games)]
        if count % 4:
            case.body |= {"options": {}, "bots": [], "arbiter": None, "seats": None, "clock": None}
    if name == "playMove" and isinstance(case.body, dict) and count % 2:
        case.body = world.move(path["table_id"], (case.headers or {}).get("Authorization", "")) or case.body
    if case.path.startswith("/v1/live/"):
        asked = str((case.query or {}).get("wait", 25))
        if asked.isdecimal() and int(asked) <= 30:
            case.query = {**(case.query or {}), "wait": 0}


def after_call(_: Any, case: Any, response: Any) -> None:
    """Count the answer; remember a table."""
    answers[str(response.status_code)] += 1
    if operation_id(case) == "openTable" and response.status_code == 201:
        world.note(response.json()["id"])


def filter_failure(_: Any, failure: Any, case: Any, response: Any) -> bool:  # noqa: ARG001 - found by name
    """Tell whether a failure is one: a schema cannot say all that makes a body wrong."""
    if type(failure).__name__ != "RejectedPositiveData" or response.status_code != 400:
        return True
    errors = response.json()["errors"]
    return not errors or any(
        each["code"] not in BEYOND_A_SCHEMA and each["pointer"] not in OF_ANOTHER_FORM for each in errors
    )


def errors_are_problems(_: Any, response: Any, case: Any) -> None:
    """Whatever goes wrong is told by a problem document with a code that the document lists."""
    if response.status_code < 400 or case.method.upper() == "HEAD":
        return
    told = response.headers.get("content-type", [""])[0]
    if told != PROBLEM:
        raise AssertionError(f"{response.status_code} is told as {told!r}")
    problem = response.json()
    if problem["status"] != response.status_code:
        raise AssertionError(f"{response.status_code} says that it is {problem['status']}")
    answer = case.operation.definition.raw["responses"].get(str(response.status_code))
    if answer is not None and problem["code"] not in answer["x-codes"]:
        raise AssertionError(f"{problem['code']} is none of the codes of {response.status_code} here")


def operation_id(case: Any) -> str:
    """Return the name of the operation that is asked."""
    return str(case.operation.definition.raw["operationId"])


def _tell() -> None:
    Path(os.environ["POSTA_FUZZ_COUNT"]).write_text(json.dumps(answers), "utf-8")


schemathesis.auth(refresh_interval=None, retry_on=[])(Caller)
schemathesis.hook(before_call)
schemathesis.hook(after_call)
schemathesis.hook(filter_failure)
schemathesis.check(errors_are_problems)
atexit.register(_tell)
