"""The drawings look as they did: made-up positions against pictures that somebody has looked at."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

PICTURES = Path(__file__).with_name("pictures")
WIDTH = 84
"""Of both pictures when they are compared: fonts differ between machines, shapes and colours do not."""
MOST_HIGHER = 0.06
MOST_APART = 3.0
"""Of 255, on average.  A board moved by half a cell differs by 14, a ring narrower by a fifth by 3.6."""
COMPARE = """
async ([width, ...pictures]) => {
  const read = async (each) => {
    const bytes = Uint8Array.from(atob(each), (one) => one.charCodeAt(0));
    const whole = await createImageBitmap(new Blob([bytes]));
    const height = Math.round(whole.height * width / whole.width);
    const context = new OffscreenCanvas(width, height).getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(whole, 0, 0, width, height);
    return context.getImageData(0, 0, width, height);
  };
  const [old, now] = await Promise.all(pictures.map(read));
  const count = Math.min(old.data.length, now.data.length);
  let apart = 0;
  for (let at = 0; at < count; at += 1) apart += Math.abs(old.data[at] - now.data[at]);
  return [Math.abs(1 - now.height / old.height), apart / count * 4 / 3];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_made_up_position_looks_as_it_did(
    scheme: str, visit: Callable[..., Page], browser: Browser, request: pytest.FixtureRequest
) -> None:
    page = visit("#/gallery", color_scheme=scheme)
    page.locator(".sample").first.wait_for()
    judge = browser.new_page()
    seen = {}
    for sample in page.locator(".sample").all():
        name = f"{str(sample.get_attribute('data-key')).replace(' ', '-')}-{scheme}.jpg"
        seen[name] = sample.locator(".board").screenshot(type="jpeg", quality=60)
    if request.config.getoption("--regenerate-golden"):
        for name, picture in seen.items():
            (PICTURES / name).write_bytes(picture)

    assert set(seen) == {each.name for each in PICTURES.glob(f"*-{scheme}.jpg")}
    for name, picture in seen.items():
        both = [base64.b64encode(each).decode() for each in ((PICTURES / name).read_bytes(), picture)]
        higher, apart = judge.evaluate(COMPARE, [WIDTH, *both])
        assert higher <= MOST_HIGHER, name
        assert apart <= MOST_APART, name
    judge.close()
