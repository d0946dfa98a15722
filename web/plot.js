/** A small plot of numbers over the course of a game. */

import { h, img, s } from "./dom.js";

/** @typedef {{seat: number, name?: string, points: [number, number][]}} Line */

/** Draw the whole course, a mark at how far it has come, and the numbers there.
 * @param {string} name @param {Line[]} lines @param {Line[]} past @param {string[]} names */
export function plot(name, lines, past, names) {
  const all = lines.flatMap((each) => each.points);
  const right = Math.max(1, ...all.map((each) => each[0]));
  const top = Math.max(1, ...all.map((each) => each[1]));
  const far = (/** @type {number} */ x) => (24 + (x / right) * 268).toFixed(1);
  const now = far(Math.max(0, ...past.flatMap((each) => each.points.map(([x]) => x))));
  const told = past.map((each) => `${each.name ?? names[each.seat]} ${each.points.at(-1)?.[1] ?? ""}`);
  return h("figure.plot",
    s("svg", { viewBox: "0 0 300 130", ...img(`${name}: ${told.join(", ")}`) },
      [0, 0.5, 1].map((part) => [s("path", { d: `M24 ${112 - part * 100}H294`, class: "grid" }), s("text.axis", { x: 20, y: 116 - part * 100 }, Math.round(top * part))]),
      s("path.mark", { d: `M${now} 8V112` }),
      lines.map((each) => s("polyline", { points: each.points.map(([x, y]) => `${far(x)},${(112 - (y / top) * 100).toFixed(1)}`).join(" "), class: `curve seat-${each.seat}` }))),
    h("figcaption", past.map((each, at) => h("span", { class: `key seat-${each.seat}` }, told[at]))));
}
