/** A small plot of numbers over the course of a game. */

import { h, s } from "./dom.js";

/** @param {{name: string, lines: {seat: number, name?: string, points: [number, number][]}[]}} given @param {string[]} names */
export function plot({ name, lines }, names) {
  const all = lines.flatMap((each) => each.points);
  const right = Math.max(1, ...all.map((each) => each[0]));
  const top = Math.max(1, ...all.map((each) => each[1]));
  const at = (/** @type {[number, number]} */ [x, y]) => `${(24 + (x / right) * 268).toFixed(1)},${(112 - (y / top) * 100).toFixed(1)}`;
  return h("figure.plot",
    s("svg", { viewBox: "0 0 300 130", role: "img", "aria-label": `${name}: ${lines.map((each) => `${each.name ?? names[each.seat]} ${each.points.at(-1)?.[1]}`).join(", ")}` },
      [0, 0.5, 1].map((part) => [s("path", { d: `M24 ${112 - part * 100}H294`, class: "grid" }), s("text.axis", { x: 20, y: 116 - part * 100 }, Math.round(top * part))]),
      lines.map((each) => s("polyline", { points: each.points.map(at).join(" "), class: `curve seat-${each.seat}` }))),
    h("figcaption", lines.map((each) => h("span", { class: `key seat-${each.seat}` }, `${each.name ?? names[each.seat]} ${each.points.at(-1)?.[1] ?? ""}`))));
}
