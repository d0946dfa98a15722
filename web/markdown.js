/** The little of Markdown that rulebooks use, as elements: headings, paragraphs, lists, tables, bold, italic, code. */

import { h } from "./dom.js";

/** @param {string} text @returns {HTMLElement[]} */
export function markdown(text) {
  return text.split(/\n\s*\n/).filter((each) => each.trim() !== "").map(block);
}

/** @param {string} text @returns {HTMLElement} */
function block(text) {
  const lines = text.trim().split("\n");
  const heading = /^(#{1,4}) (.*)$/.exec(lines[0]);
  if (heading && lines.length === 1) return h(`h${heading[1].length}`, {}, inline(heading[2]));
  if (lines[0].startsWith("|")) return table(lines);
  if (lines.every((each) => each.match(/^([-*] |\d+\. | {2,})/))) {
    const items = text.trim().split(/\n(?=[-*] |\d+\. )/);
    return h("ul", items.map((each) => h("li", inline(each.replace(/^([-*] |\d+\. )/, "").replace(/\s+/g, " ")))));
  }
  if (lines[0].startsWith("```") || lines[0].startsWith("    ")) return h("pre", lines.filter((each) => !each.startsWith("```")).join("\n"));
  return h("p", inline(lines.join(" ")));
}

/** @param {string[]} lines */
function table(lines) {
  const cells = (line) => line.replace(/^\||\|$/g, "").split("|").map((each) => each.trim());
  return h("div.wide", { tabindex: 0 }, h("table",
    h("thead", h("tr", cells(lines[0]).map((each) => h("th", { scope: "col" }, inline(each))))),
    h("tbody", lines.slice(2).map((line) => h("tr", cells(line).map((each) => h("td", inline(each))))))));
}

/** @param {string} text @returns {(Node | string)[]} */
function inline(text) {
  return text.split(/(\*\*.+?\*\*|`[^`]+`|\*[^*]+\*)/).map((part) => {
    if (part.startsWith("**")) return h("strong", part.slice(2, -2));
    if (part.startsWith("`")) return h("code", part.slice(1, -1));
    return part.startsWith("*") && part.length > 2 ? h("em", part.slice(1, -1)) : part;
  });
}
