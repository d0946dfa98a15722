/** Made-up positions of each game: to look at, and for tests of the drawings. */

import { game } from "../catalogue.js";
import { h, show } from "../dom.js";
import { drawingOf } from "../games/index.js";
import { NAMES, samplesOf, sceneOf } from "../samples.js";
import { t } from "../words.js";

/** @param {import("../app.js").Page} page */
export async function gallery({ main, path, isShown }) {
  const ids = path[1] ? [path[1]] : NAMES;
  const all = await Promise.all(ids.map((each) => game(each)));
  if (!isShown()) return;
  /** @type {Map<string, any>} */
  const kept = new Map();
  const draw = () => show(main, h("h1", t("gallery")), h("p.quiet", t("gallery_lead")),
    all.map((of) => samplesOf(of.id).map((sample) => {
      const key = `${of.id} ${sample.name}`;
      if (!kept.has(key)) kept.set(key, sceneOf(of, sample, draw));
      return h("section", { class: `table sample ${of.id}`, "data-key": key }, h("div.board", h("h2", `${of.name}: ${sample.name}`), drawingOf(of.id).draw(kept.get(key))));
    })));
  draw();
}
