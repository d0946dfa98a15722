/** The rulebook of a game, with a picture, its authors and a game to start. */

import { asSomebody, doing, go } from "../app.js";
import { againstBots, game } from "../catalogue.js";
import { h, show } from "../dom.js";
import { drawingOf } from "../games/index.js";
import { markdown } from "../markdown.js";
import { samplesOf, sceneOf } from "../samples.js";
import { t } from "../words.js";

/** @param {import("../app.js").Page} page */
export async function rules({ main, path, query, isShown }) {
  const of = await game(path[1]);
  if (!isShown()) return;
  document.title = `${t("rules")}: ${of.name}`;
  const [title, ...text] = markdown(of.rulebook);
  const from = query.get("table");
  const sample = samplesOf(of.id)[0];
  show(main, h("article", { class: `rules ${of.id}` },
    h("div.art", { "aria-hidden": "true" }, drawingOf(of.id).emblem()),
    title,
    h("p.quiet", t("credits"), " ", of.credits),
    h("p", from ? h("a.button.main", { href: `#/table/${from}` }, t("to_table")) : [doing(t("play_now"), () => asSomebody(async () => go(`#/table/${(await againstBots(of)).id}`)), { class: "main" }), " ", h("a.button", { href: `#/new/${of.id}` }, t("new_table"))]),
    h("p.lead", of.names.summary),
    sample && h("figure", { class: `table ${of.id}`, inert: true }, drawingOf(of.id).draw(sceneOf(of, sample, () => {}))),
    text));
}
