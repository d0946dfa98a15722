/** Tables that wait for me first, then mine, open ones, finished ones; and a game to start at once. */

import { get, me, setClock } from "../api.js";
import { asSomebody, countNotices, doing, go, said } from "../app.js";
import { againstBots, games } from "../catalogue.js";
import { h, show } from "../dom.js";
import { drawingOf } from "../games/index.js";
import { Feed, pause } from "../live.js";
import { day, isUrgent, t, until, when } from "../words.js";

/** @param {import("../app.js").Page} page */
export async function home({ main, isShown }) {
  const all = await games();
  if (!isShown()) return;
  const names = new Map(all.map((each) => [each.id, each.name]));
  show(main, me() ? h("p.quiet", t("loading")) : welcome(all));
  if (!me()) return;
  /** @type {any} */
  let found = null;
  let trouble = "";
  let seenAt = 0;
  const look = async () => {
    try {
      const [waiting, mine, others, sought] = await Promise.all(
        ["me/turns", "tables?mine=true&limit=50", "tables?mine=false&sandbox=false&limit=30", "tables?mine=false&sandbox=false&seeking=true&status=playing&limit=10"].map(get));
      found = { waiting: waiting.items, mine: mine.items, others: others.items, sought: sought.items };
      setClock(waiting.server_time);
      trouble = "";
      seenAt = Date.now();
    } catch (error) {
      trouble = said(error);
      seenAt = 0;
    }
    draw();
  };
  const draw = () => {
    if (isShown()) show(main, (trouble || isOld()) && h("p.alert", { role: "alert" }, trouble || t("offline")), found && lists(found, all, names));
  };
  const feed = new Feed("me", async () => {
    await Promise.all([look(), pause(1000)]); // bots are fast
    countNotices();
  });
  const isOld = () => !feed.isAlive && Date.now() - seenAt > 40_000;
  await look();
  const ticking = setInterval(() => {
    if (document.hidden) return;
    if (Date.now() - seenAt > (feed.isAlive ? 30_000 : 8000)) look(); // tables of others, or no news to be had
    else draw(); // time runs
  }, 5000);
  await feed.run(isShown);
  clearInterval(ticking);
}

/** @param {any} found @param {any[]} all @param {Map<string, string>} names */
function lists({ waiting, mine, others, sought }, all, names) {
  const due = new Set(waiting.map((each) => each.table_id));
  const having = (items, ...statuses) => items.filter((each) => statuses.includes(each.status));
  const playing = having(mine, "open", "playing").filter((each) => !due.has(each.id));
  const over = having(mine, "finished").slice(0, 12);
  const open = having(others, "open");
  const section = (name, items) => items.length > 0 && h("section", h("h2", t(name)), rows(items, names));
  return [
    h("h1.visually-hidden", t("home")),
    h("section", h("h2", t("waiting"), due.size > 0 && h("span.count", due.size)),
      due.size === 0 && h("p.quiet", t("none_waiting")),
      h("ul.tables", waiting.map((each) =>
        h("li", h("a.row.due", { href: `#/table/${each.table_id}` },
          picture(each.game), h("span.grow", called(each, names), each.deadline_at && h("small", when(each.deadline_at))),
          h("span", { class: each.deadline_at && isUrgent(each.deadline_at) ? "chip hot" : "chip" }, each.deadline_at ? until(each.deadline_at) : t("no_deadline"))))))),
    h("section", h("h2", t("play_now")), h("div.games", all.map((each) => gameCard(each)))),
    section("my_games", playing),
    section("sought", sought),
    section("open_tables", open) || h("section", h("h2", t("open_tables")), h("p.quiet", t("none_open"), " ", h("a", { href: "#/new" }, t("new_table")))),
    section("finished", over),
    section("watch", having(others, "playing").slice(0, 12)),
  ];
}

/** @param {string} id */
const picture = (id) => h("span.emblem", { "aria-hidden": "true" }, drawingOf(id).emblem());

/** Return what a table is called: by its title, which is a stranger's, and its game. @param {any} table @param {Map<string, string>} names */
const called = ({ title, game }, names) => [h("strong", h("bdi", title || names.get(game))), title && h("small", names.get(game))];

/** Return tables as a list of links. @param {any[]} items @param {Map<string, string>} names */
export function rows(items, names) {
  return h("ul.tables", items.map((each) => {
    const taken = each.seats.filter((seat) => seat.player || seat.bot);
    const people = taken.map((seat) => seat.player ?? "bot").join(" · ");
    const won = each.outcome && each.my_seat !== null && each.outcome.winners.includes(each.my_seat);
    const state = each.status === "open" ? `${taken.length}/${each.seats.length}` : each.status === "finished" ? day(each.created_at) : t("playing");
    return h("li", h("a.row", { href: `#/table/${each.id}` }, picture(each.game),
      h("span.grow", called(each, names), h("small", people, each.sandbox && ` · ${t("sandbox")}`)),
      h("span", { class: won ? "chip good" : "chip" }, won ? "★ " : "", state)));
  }));
}

/** @param {any} each */
function gameCard(each) {
  const range = each.seats_min === each.seats_max ? each.seats_min : `${each.seats_min}–${each.seats_max}`;
  return h("article", { class: `game ${each.id}` },
    h("div.art", { "aria-hidden": "true" }, drawingOf(each.id).emblem()),
    h("h3", each.name),
    h("p.quiet", t("players", range), " · ", h("a", { href: `#/rules/${each.id}` }, t("learn"))),
    doing(t("play_now"), () => asSomebody(async () => go(`#/table/${(await againstBots(each)).id}`)),
      { class: "main", "aria-label": `${t("play_now")}: ${each.name}` }));
}

/** @param {any[]} all */
function welcome(all) {
  return [
    h("section.hero", h("h1", t("tagline")), h("p", t("lead"))),
    h("h2.visually-hidden", t("play_now")),
    h("div.games.large", all.map((each) => gameCard(each))),
    h("p.quiet.centre", h("a", { href: "#/sign-in" }, t("sign_in")), " · ", h("a", { href: "#/sign-up" }, t("sign_up")), " · ", h("a", { href: "/docs" }, t("developers"))),
  ];
}

