"""What judges generated clients and runs of fuzzing, judged itself."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.tools import small
from tools.clients.generator import lost_operations, strange
from tools.fuzz import _tell


@pytest.mark.parametrize(
    ("name", "text", "lost"),
    [
        ("TablesApi.java", "openTable(); getTable();", []),
        ("tables_api.dart", "openTable(); getTable();", []),
        ("TablesApi.java", "openTable(); getTables();", ["getTable"]),
        ("SeatsApi.java", "openTable(); getTable();", ["openTable", "getTable"]),
        ("TablesApi.md", "openTable(); getTable();", ["openTable", "getTable"]),
    ],
)
def test_an_operation_that_no_class_of_its_tag_has_is_lost(
    tmp_path: Path, name: str, text: str, lost: list[str]
) -> None:
    (tmp_path / name).write_text(text)

    assert lost_operations(small.document(), tmp_path) == lost


def test_a_page_is_made_strange_where_it_has_open_texts() -> None:
    page = strange({"items": [{"type": "table.created", "position": 1}], "more": False})

    assert page == {
        "items": [{"type": "table.sung", "position": 1, "moon": {"phase": 3}}],
        "more": False,
        "moon": {"phase": 3},
    }


@pytest.mark.parametrize(
    ("answers", "failed", "code"),
    [
        ({"200": 10}, False, 0),
        ({"200": 10}, True, 1),
        ({"200": 9, "500": 1}, False, 1),
        ({"200": 9}, False, 1),
    ],
)
def test_a_run_of_fuzzing_is_right_without_faults_and_long_enough(
    answers: dict[str, int], failed: bool, code: int
) -> None:
    assert _tell(Counter(answers), 10, failed=failed, seconds=1.0) == code
