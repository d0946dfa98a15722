/** Tables that wait for me first, then mine, open ones, finished ones; and a game to start at once. */

import { get, getIfNew, forget, me, setClock } from "../api.js";
import { asSomebody, doing, go } from "../app.js";
import { againstBots, games } from "../catalogue.js";
import { h, show } from "../dom.js";
import { drawingOf } from "../games/index.js";
import { t, until, when } from "../words.js";

/** @param {import("../app.js").Page} page */
export async function home({ main, isShown }) {
  const all = await games();
  if (!isShown()) return;
  const names = new Map(all.map((each) => [each.id, each.name]));
  show(main, me() ? h("p", { class: "quiet" }, t("loading")) : welcome(all));
  if (!me()) return;
  forget("me/turns");
  while (isShown()) {
    await refresh(main, all, names, isShown);
    await new Promise((done) => setTimeout(done, document.hidden ? 60_000 : 8_000));
  }
}

/** @type {any} */
let turns = null;

/** @param {HTMLElement} main @param {any[]} all @param {Map<string, string>} names @param {() => boolean} isShown */
async function refresh(main, all, names, isShown) {
  const [waiting, mine, others] = await Promise.all([
    getIfNew("me/turns"),
    get("tables?mine=true&limit=50"),
    get("tables?mine=false&limit=30"),
  ]);
  if (!isShown()) return;
  if (waiting) {
    turns = waiting;
    setClock(waiting.server_time);
  }
  const due = new Set(turns.items.map((each) => each.table_id));
  const playing = mine.items.filter((each) => !due.has(each.id) && ["open", "playing"].includes(each.status));
  const over = mine.items.filter((each) => each.status === "finished");
  const open = others.items.filter((each) => each.status === "open");
  const running = others.items.filter((each) => each.status === "playing");
  show(
    main,
    h("h1", { class: "visually-hidden" }, t("home")),
    h("section", {}, h("h2", {}, t("waiting"), due.size > 0 && h("span", { class: "count" }, due.size)),
      due.size === 0 && h("p", { class: "quiet" }, t("none_waiting")),
      h("ul", { class: "tables" }, turns.items.map((each) =>
        h("li", {}, h("a", { class: "row due", href: `#/table/${each.table_id}` },
          picture(each.game), h("span", { class: "grow" }, h("strong", {}, each.title || names.get(each.game))),
          h("span", { class: "chip hot" }, each.deadline_at ? until(each.deadline_at) : t("no_deadline"))))))),
    h("section", {}, h("h2", {}, t("play_now")), h("div", { class: "games" }, all.map((each) => gameCard(each)))),
    playing.length > 0 && h("section", {}, h("h2", {}, t("my_games")), rows(playing, names)),
    h("section", {}, h("h2", {}, t("open_tables")),
      open.length ? rows(open, names) : h("p", { class: "quiet" }, t("none_open"), " ", h("a", { href: "#/new" }, t("new_table")))),
    over.length > 0 && h("section", {}, h("h2", {}, t("finished")), rows(over.slice(0, 12), names)),
    running.length > 0 && h("section", {}, h("h2", {}, t("watch")), rows(running.slice(0, 12), names)),
  );
}

/** @param {string} id */
const picture = (id) => h("span", { class: "emblem", "aria-hidden": "true" }, drawingOf(id).emblem());

/** @param {any[]} items @param {Map<string, string>} names */
function rows(items, names) {
  return h("ul", { class: "tables" }, items.map((each) => {
    const taken = each.seats.filter((seat) => seat.player || seat.bot);
    const people = taken.map((seat) => seat.player ?? "bot").join(" · ");
    const won = each.outcome && each.my_seat !== null && each.outcome.winners.includes(each.my_seat);
    const state = each.status === "open" ? `${taken.length}/${each.seats.length}` : each.status === "finished" ? when(each.created_at) : t("playing");
    return h("li", {}, h("a", { class: "row", href: `#/table/${each.id}` }, picture(each.game),
      h("span", { class: "grow" }, h("strong", {}, each.title || names.get(each.game)), h("small", {}, people)),
      h("span", { class: won ? "chip good" : "chip" }, won ? "★ " : "", state)));
  }));
}

/** @param {any} each */
function gameCard(each) {
  const range = each.seats_min === each.seats_max ? each.seats_min : `${each.seats_min}–${each.seats_max}`;
  return h("article", { class: `game ${each.id}` },
    h("div", { class: "art", "aria-hidden": "true" }, drawingOf(each.id).emblem()),
    h("h3", {}, each.name),
    h("p", { class: "quiet" }, t("players", range), " · ", h("a", { href: `#/rules/${each.id}` }, t("learn"))),
    doing(t("play_now"), () => asSomebody(async () => go(`#/table/${(await againstBots(each)).id}`)),
      { class: "main", "aria-label": `${t("play_now")}: ${each.name}` }));
}

/** @param {any[]} all */
function welcome(all) {
  return [
    h("section", { class: "hero" }, h("h1", {}, t("tagline")), h("p", {}, t("lead"))),
    h("h2", { class: "visually-hidden" }, t("play_now")),
    h("div", { class: "games large" }, all.map((each) => gameCard(each))),
    h("p", { class: "quiet centre" }, h("a", { href: "#/sign-in" }, t("sign_in")), " · ", h("a", { href: "#/sign-up" }, t("sign_up")), " · ", h("a", { href: "/docs" }, t("developers"))),
  ];
}

