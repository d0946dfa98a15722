/** A game once more, step by step; its record, and whether it is true. */

import { bytes, get, me } from "../api.js";
import { attempt, go, said, tell } from "../app.js";
import { game, namesOf, word } from "../catalogue.js";
import { button, h, s, save, show } from "../dom.js";
import { drawingOf } from "../games/index.js";
import { Log, turns } from "../log.js";
import { plot } from "../plot.js";
import { sentences } from "./panel.js";
import { t } from "../words.js";
/** @import { Entry } from "../log.js" */

/** @param {import("../app.js").Page} page */
export async function replay({ main, path, query, isShown }) {
  const id = path[1];
  if (!me()) return go(`#/table/${id}`);
  show(main, h("p.quiet", t("loading")));
  const found = await get(`tables/${id}`);
  const log = new Log(id);
  const [of] = await Promise.all([game(found.game), log.update()]);
  if (!isShown()) return undefined;
  document.title = `${t("replay")}: ${found.title || of.name}`;
  const names = namesOf(of, found, t("free"), t("gone"));
  const messages = await get(`tables/${id}/messages?limit=200`).then((all) => all.items, () => []);
  const turnAt = turns(log.entries);
  const drawing = drawingOf(found.game);
  const end = log.entries.length;
  const begin = Math.max(1, log.entries.find((each) => each.type === "clock.deadline_set")?.position ?? 1);
  // the steps: where something is to be seen
  const stops = log.entries.filter((each) => each.position >= begin && each.type !== "clock.deadline_set" && !drawing.isNoise?.(each)).map((each) => each.position);
  if (stops.at(-1) !== end) stops.push(end);
  let at = Math.min(end, Math.max(1, Number(query.get("at")) || (stops[0] ?? end)));
  /** @type {Map<number, any>} */
  const views = new Map();
  const mayChange = found.status === "finished";
  /** @type {number | null} */
  let eyes = null; // the own ones
  const ui = {};
  /** @type {any} */
  let verdicts = null;
  let isPlaying = false;
  /** @type {any} what is shown until the next view is there */
  let earlier = null;

  async function move(to) {
    at = Math.min(end, Math.max(1, to));
    history.replaceState(null, "", `#/table/${id}/replay?at=${at}`);
    const [wanted, seen] = [at, eyes];
    if (!views.has(at)) {
      draw();
      const view = await attempt(() => get(`tables/${id}/view?at=${wanted}` + (eyes === null ? "" : `&seat=${eyes}`)));
      if (!view) {
        isPlaying = false;
        return;
      }
      if (seen === eyes) views.set(wanted, view);
    }
    if (wanted === at && isShown()) draw();
  }

  const after = () => stops.find((each) => each > at) ?? end;
  const before = () => stops.findLast((each) => each < at) ?? 1;
  const nextTurn = () => {
    const coming = turnAt.findIndex((each, index) => index >= at && each > turnAt[at - 1]);
    return coming < 0 ? end : coming + 1;
  };
  const lastTurn = () => {
    const begun = turnAt.indexOf(turnAt[at - 1]) + 1;
    return begun < at ? Math.max(1, begun) : Math.max(1, turnAt.indexOf(turnAt[Math.max(0, begun - 2)]) + 1);
  };

  async function play() {
    isPlaying = !isPlaying;
    if (isPlaying && at === end) await move(stops[0] ?? 1);
    draw();
    while (isPlaying && isShown() && at < end) {
      await new Promise((done) => setTimeout(done, 900));
      if (isPlaying) await move(after());
    }
    isPlaying = false;
    if (isShown()) draw();
  }

  function draw() {
    const view = views.get(at) ?? earlier;
    const isReady = views.has(at);
    if (isReady) earlier = view;
    const entries = log.upto(at);
    const [line, past] = [log.entries, entries].map((each) => drawing.plot?.(each, found.seats.length));
    show(main, h("div", { class: `table ${found.game}` },
      h("div.board",
        h("div.title", h("h1", t("replay"), ": ", found.title || of.name), h("a.button", { href: `#/table/${id}` }, t("to_table"))),
        h("div.player-bar", { role: "group", "aria-label": t("replay") },
          h("input", { type: "range", min: 1, max: end, value: at, "aria-label": t("position", at, end), "aria-valuetext": t("turn", turnAt[at - 1]),
            oninput: (event) => { isPlaying = false; move(Number(event.target.value)); } }),
          h("div.line.keys",
            button(icon("M4 4h3v16H4zM20 4v16L8 12z"), () => move(lastTurn()), { "aria-label": t("previous_turn") }),
            button(icon("M17 4v16L6 12z"), () => move(before()), { "aria-label": t("previous") }),
            button(icon(isPlaying ? "M5 4h5v16H5zM14 4h5v16h-5z" : "M6 3l15 9-15 9z"), play, { class: "main", "aria-label": t(isPlaying ? "stop" : "play") }),
            button(icon("M7 4v16l11-8z"), () => move(after()), { "aria-label": t("next") }),
            button(icon("M17 4h3v16h-3zM4 4v16l12-8z"), () => move(nextTurn()), { "aria-label": t("next_turn") }),
            h("span.grow.quiet", { role: "status" }, t("turn", turnAt[at - 1]), " · ", `${at}/${end}`))),
        mayChange && h("label.line.eyes", t("eyes"), h("select", { onchange: (event) => { eyes = event.target.value === "" ? null : Number(event.target.value); views.clear(); move(at); } },
          h("option", { value: "", selected: eyes === null }, found.my_seat === null ? t("spectator") : `${names[found.my_seat]} (${t("you")})`),
          names.map((each, seat) => seat !== found.my_seat && h("option", { value: seat, selected: eyes === seat }, each)))),
        h("p.status", sentenceAt(entries)),
        view && Object.keys(view.data).length > 0 && h("div", { class: isReady ? "" : "stale" }, drawing.draw({
          data: view.data, of, names, me: view.viewer, ui, legal: [], pending: null, log: entries, awaited: view.awaited.map((each) => each.seat),
          word: (code) => word(of, code), choose: () => {}, redraw: draw,
        }))),
      h("aside.panel",
        line && past && line.lines.some((each) => each.points.length > 1) && h("section.card", h("h2", t("plot")), plot(line.name, line.lines, past.lines, names)),
        h("section.card", h("h2", t("story")),
          h("ol.story.short", { tabindex: 0 }, interleaved(entries))),
        record())));
  }

  /** @param {Entry[]} entries */
  const sentenceAt = (entries) => sentences(entries.slice(-12), found.game, found.seats, names)[0]?.textContent ?? "";

  /** @param {Entry[]} entries */
  function interleaved(entries) {
    const told = sentences(entries, found.game, found.seats, names);
    const spoken = messages.filter((each) => each.game_position <= at && each.text).map((each) =>
      h("li", { "data-key": `m${each.position}`, class: "spoken", "data-at": each.game_position + 0.5 }, h("b", each.player ?? names[each.seat], ": "), each.text));
    const place = (/** @type {Element} */ each) => Number(each.getAttribute("data-at") ?? each.getAttribute("data-key"));
    return [...told, ...spoken].sort((a, b) => place(b) - place(a));
  }

  function record() {
    return h("section.card.record", h("h2", t("verify")), h("p.quiet", t("verify_lead")),
      h("div.buttons",
        button(t("verify"), () => check(async () => bytes(`tables/${id}/transcript`)), { class: "main" }),
        button(t("download"), () => attempt(async () => save(`posta-${found.game}-${id.slice(0, 8)}.json`, new Blob([await bytes(`tables/${id}/transcript`)], { type: "application/json" })))),
        button(t("link"), async () => { await attempt(() => navigator.clipboard.writeText(location.href)); tell(t("copied")); })),
      h("label.quiet", t("verify_file"), h("input", { type: "file", accept: ".json,application/json",
        onchange: (event) => { const [file] = event.target.files; if (file) check(async () => new Uint8Array(await file.arrayBuffer())); } })),
      verdicts);
  }

  /** Let the browser judge a record by itself. @param {() => Promise<Uint8Array>} read */
  async function check(read) {
    verdicts = h("p", { role: "status" }, t("verifying"));
    draw();
    try {
      // @ts-ignore: the verifier is served beside these files
      const { judge, readKeys } = await import("/web/verify.mjs");
      const keys = readKeys(await bytes("keys"));
      verdicts = judgement(await judge(await read(), { keys }));
    } catch (error) {
      verdicts = h("div.verdicts.bad", { role: "status" }, h("p", h("strong", "✗ ", t("not_good"))), h("p", error instanceof Error ? error.message : said(error)));
    }
    if (isShown()) draw();
  }

  await move(at);
  return undefined;
}

/** @param {string} path */
const icon = (path) => s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: path }));

/** Show what the verifier found, in the words of a player. @param {any} found */
function judgement(found) {
  return h("div", { class: found.is_good ? "verdicts good" : "verdicts bad", role: "status" },
    h("p", h("strong", found.is_good ? "✓ " : "✗ ", t(found.is_good ? "all_good" : "not_good"))),
    h("ul", ["integrity", "fairness", "receipts", "replay"].map((name) => {
      const each = found.verdicts[name];
      const isBad = each.findings.length > 0;
      const state = isBad ? "failed_verdict" : each.status === "proved" ? "proved" : "not_provable";
      return h("li", { class: state }, h("strong", isBad ? "✗ " : state === "proved" ? "✓ " : "– ", t(`v_${name}`), ": ", t(state)),
        h("small", t(`v_${name}_help`)),
        isBad && h("code", `${t("position", each.findings[0].position, found.events)}: ${each.findings[0].what}`));
    })));
}
