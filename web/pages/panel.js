/** What stands beside the board: the story, the talk, the table itself. */

import { me } from "../api.js";
import { timeUp } from "../catalogue.js";
import { h } from "../dom.js";
import { form } from "../forms.js";
import { drawingOf } from "../games/index.js";
import { named } from "../log.js";
import { arbiter } from "./arbiter.js";
import { proposals } from "./asks.js";
import { linked, report } from "./player.js";
import { either, span, t, when } from "../words.js";

const TABS = ["story", "talk", "about"];
/** What the page shows elsewhere, or the game has just told. */
const QUIET = ["clock.deadline_set", "table.finished", "table.seed_revealed"];

/** @param {any} sitting the visit to the table @param {string[]} names */
export function panel(sitting, names) {
  const { tab } = sitting;
  return h("aside.panel",
    h("div.tabs", { role: "tablist" }, TABS.map((each) => h("button", {
      type: "button", role: "tab", id: `tab-${each}`, "aria-selected": String(each === tab), "aria-controls": "panel", tabindex: each === tab ? 0 : -1,
      onclick: () => turnTo(sitting, each),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const way = { ArrowRight: 1, ArrowLeft: 2 }[event.key];
        if (!way) return;
        turnTo(sitting, TABS[(TABS.indexOf(each) + way) % 3]);
        document.getElementById(`tab-${sitting.tab}`)?.focus();
      },
    }, t(each), each === "talk" && sitting.unread > 0 && h("span.count", sitting.unread)))),
    h("div.tab", { role: "tabpanel", id: "panel", "aria-labelledby": `tab-${tab}`, tabindex: 0, "data-key": tab },
      tab === "story" ? story(sitting, names) : tab === "talk" ? talk(sitting, names) : about(sitting, names)));
}

/** @param {any} sitting @param {string} tab */
function turnTo(sitting, tab) {
  sitting.tab = tab;
  if (tab === "talk") sitting.hear();
  sitting.draw();
}

/** Return the entries worth reading, the newest first. @param {any[]} entries @param {string} game @param {any[]} seats @param {string[]} names */
export function sentences(entries, game, seats, names) {
  const { isNoise } = drawingOf(game);
  const worth = entries.filter((each) => !QUIET.includes(each.type) && !isNoise?.(each));
  return worth.reverse().map((each) => h("li", { "data-key": each.position, class: each.type.replace(/[._]/g, "-") }, named(each.sentence, seats, names)));
}

/** @param {any} sitting @param {string[]} names */
function story(sitting, names) {
  return h("ol.story", sentences(sitting.log.upto((sitting.past.view ?? sitting.view).version), sitting.table.game, sitting.table.seats, names));
}

/** @param {any} sitting @param {string[]} names */
function talk(sitting, names) {
  const { table } = sitting;
  const isSilent = table.talk === "silent" && table.status === "playing";
  const may = !isSilent && (table.my_seat !== null || table.spectator_talk === "write");
  return [
    may && form(sitting.sends("messages"), { class: "line say" }, h("input", { name: "text", required: true, maxlength: 2000, "aria-label": t("say"), placeholder: t("say"), autocomplete: "off" }), h("button", t("send"))),
    isSilent && h("p.quiet", t("talk_silent")),
    !isSilent && sitting.of.talk === "silent" && table.status !== "finished" && h("p", either("Do not agree on what to play.", "No acordéis qué jugar.")),
    sitting.messages.length === 0 && !isSilent && h("p.quiet", t("talk_empty")),
    h("ol.messages", sitting.messages.map((each) =>
      h("li", { "data-key": each.position, class: each.seat === table.my_seat ? "own" : "" },
        h("small", each.player ? linked(each.player) : each.seat === null ? t("spectator") : names[each.seat], " · ", when(each.said_at)),
        h("p", each.text ?? t("hidden_text")),
        each.text && each.player !== me()?.name && report(`tables/${table.id}/messages/${each.position}/report`)))),
  ];
}

/** @param {any} sitting @param {string[]} names */
function about(sitting, names) {
  const { table, of } = sitting;
  const words = of.names.options ?? {};
  const clock = table.clock.kind === "none" ? t("no_clock") : span(table.clock.seconds ?? table.clock.initial);
  return [
    h("p", of.names.summary),
    h("ol.seats", table.seats.map((each) => h("li.taken", each.player ? linked(each.player) : names[each.seat], each.bot && " (bot)", each.seat === table.my_seat && ` (${t("you")})`))),
    h("dl.tree.facts", h("dt", t("clock")), h("dd", clock),
      table.clock.kind !== "none" && [h("dt", t("time_up")), h("dd", timeUp(of, table), " ", t(`then_${table.absentee}`, table.max_timeouts))],
      Object.entries(table.options).filter(([id]) => id !== "on_timeout").map(([id, value]) => [h("dt", words[id]?.name ?? id), h("dd", words[id]?.values?.[value] ?? (typeof value === "boolean" ? t(value ? "yes" : "no") : String(value)))])),
    h("p", h("a", { href: `#/rules/${table.game}?table=${table.id}` }, t("rules")), sitting.view.turn > 0 && [" · ", h("a", { href: `#/table/${table.id}/replay` }, t("replay"))]),
    arbiter(sitting, names),
    proposals(sitting, names),
  ];
}
