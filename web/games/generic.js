/** Any game at all: what is seen as a tree, what may be done as buttons. */

import { button, h, s } from "../dom.js";
import { t } from "../words.js";
/** @import { Drawing, Scene } from "./index.js" */

/** @param {string} name */
const plain = (name) => name.replaceAll("_", " ");

/** Return what the holder of a seat is called. @param {Scene} scene @param {number} seat */
export const called = (scene, seat) => (seat === scene.me ? t("You") : scene.names[seat]);

/** Return a value as readable elements. @param {any} value @returns {any} */
export function tree(value) {
  if (value === null || value === "") return h("span.quiet", "–");
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return h("span.quiet", t("nothing"));
    if (value.every((each) => each === null || typeof each !== "object")) return value.map((each) => each ?? "–").join(", ");
    if (value.every((each) => each && Object.values(each).every((one) => one === null || typeof one !== "object"))) return table(value);
    return h("ol", { start: 0 }, value.map((each) => h("li", tree(each))));
  }
  return h("dl.tree", Object.entries(value).map(([name, each]) => [h("dt", plain(name)), h("dd", tree(each))]));
}

/** Return records of plain values as a table. @param {Record<string, any>[]} rows */
function table(rows) {
  const names = [...new Set(rows.flatMap(Object.keys))];
  return h("div.wide", { tabindex: 0 }, h("table",
    h("thead", h("tr", names.map((each) => h("th", { scope: "col" }, plain(each))))),
    h("tbody", rows.map((row) => h("tr", names.map((each) => h("td", tree(row[each] ?? null))))))));
}

/** Return moves as buttons, by kind; many of one kind as a form with a choice for each parameter.
 * @param {Scene} scene @param {any[]} moves */
export function offers(scene, moves) {
  const kinds = [...new Set(moves.map((each) => each.kind))];
  return kinds.map((kind) => {
    const words = scene.of.names.moves?.[kind] ?? {};
    const own = moves.filter((each) => each.kind === kind);
    return h("section.offer", { "data-key": kind },
      h("h3", words.name ?? plain(kind)),
      words.help && h("p.quiet", words.help),
      own.length <= 12
        ? h("div.buttons", own.map((each) => button(told(each) || words.name || plain(kind),
            () => scene.choose(each, `${words.name ?? plain(kind)}: ${told(each)}`),
            { "aria-pressed": String(scene.pending === each) })))
        : form(scene, kind, own, words));
  });
}

/** @param {any} move */
const told = (move) => Object.entries(move.params).map(([name, value]) => `${plain(name)} ${JSON.stringify(value).replaceAll('"', "")}`).join(", ");

/** Narrow the moves by one parameter after another. @param {Scene} scene @param {string} kind @param {any[]} moves @param {any} words */
function form(scene, kind, moves, words) {
  const chosen = (scene.ui[kind] ??= {});
  let left = moves;
  const fields = Object.keys(moves[0].params).map((name) => {
    const values = [...new Set(left.map((each) => JSON.stringify(each.params[name])))];
    if (!values.includes(chosen[name])) chosen[name] = values[0];
    left = left.filter((each) => JSON.stringify(each.params[name]) === chosen[name]);
    return h("label", plain(name), h("select", { onchange: (event) => { chosen[name] = event.target.value; scene.redraw(); } },
      values.map((each) => h("option", { value: each, selected: each === chosen[name] }, each.replaceAll('"', "")))));
  });
  return h("div.line.wrap", fields, button(words.name ?? plain(kind), () => scene.choose(left[0], `${words.name ?? plain(kind)}: ${told(left[0])}`)));
}

/** @type {Drawing} */
export const generic = {
  kinds: [],
  emblem: () => s("svg", { viewBox: "0 0 100 70" },
    s("rect", { x: 22, y: 12, width: 34, height: 46, rx: 5, class: "paper", transform: "rotate(-9 39 35)" }),
    s("circle.accent", { cx: 66, cy: 38, r: 16 })),
  draw: (scene) => h("div.card", h("h3", t("state")), tree(scene.data)),
};
