/** The page: which part of it is shown for an address, its head, its news. */

import { Refused, enter, get, language, me } from "./api.js";
import { button, h, s, show } from "./dom.js";
import { account, reset } from "./pages/account.js";
import { gallery } from "./pages/gallery.js";
import { home } from "./pages/home.js";
import { newTable } from "./pages/new_table.js";
import { notices } from "./pages/notices.js";
import { player } from "./pages/player.js";
import { replay } from "./pages/replay.js";
import { rules } from "./pages/rules.js";
import { security } from "./pages/security.js";
import { settings } from "./pages/settings.js";
import { table } from "./pages/table.js";
import { either, t } from "./words.js";

/**
 * A page shows itself in `main` for as long as `isShown()`.
 * @typedef {{main: HTMLElement, path: string[], query: URLSearchParams, isShown: () => boolean}} Page
 */

/** @type {[RegExp, (page: Page) => any][]} */
const ROUTES = [
  [/^$/, home],
  [/^sign-(in|up)$/, account],
  [/^reset$/, reset],
  [/^settings$/, settings],
  [/^account$/, security],
  [/^player\/[^/]+$/, player],
  [/^notices$/, notices],
  [/^new(\/[a-z0-9_]+)?$/, newTable],
  [/^rules\/[a-z0-9_]+$/, rules],
  [/^table\/[0-9a-f-]{36}$/, table],
  [/^table\/[0-9a-f-]{36}\/replay$/, replay],
  [/^gallery(\/[a-z0-9_-]+)?$/, gallery],
];

const top = /** @type {HTMLElement} */ (document.getElementById("top"));
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const news = /** @type {HTMLElement} */ (document.getElementById("news"));
let shown = 0;
let last = "";
let unread = 0;

/** Show the page of the present address. */
export async function route() {
  const number = (shown += 1);
  const [where, query] = location.hash.replace(/^#\/?/, "").split("?");
  document.documentElement.lang = language();
  head();
  countNotices();
  const fresh = h("div.page"); // each page draws into an element of its own
  main.replaceChildren(fresh);
  if (where !== last) window.scrollTo(0, 0);
  if (number > 1) main.focus({ preventScroll: true }); // a screen reader goes on from the new page
  last = where;
  const page = { main: fresh, path: where.split("/"), query: new URLSearchParams(query), isShown: () => number === shown };
  const found = ROUTES.find(([pattern]) => pattern.test(where));
  try {
    document.title = "Posta";
    if (found) await found[1](page);
    else show(fresh, h("h1", t("not_found")));
  } catch (error) {
    if (page.isShown()) show(fresh, h("h1", said(error)), h("p", h("a", { href: "#/" }, t("home"))));
  }
}

/** Return the latest notices but for those of turns, which the tables that wait tell better, and questions that are past. */
export async function latestNotices() {
  const { items } = await get("me/notices?limit=100");
  const told = new Set();
  return items.filter(({ what, kind, table_id: id }) => what !== "your_turn" && what !== "reminder" && (kind !== "reminder" || !told.has(id)) && told.add(id));
}

/** Show how many of them are unread, but for those of a table that is being looked at. */
export async function countNotices() {
  if (me()) unread = await latestNotices().then((items) => items.filter((each) => !each.read && !location.hash.includes(each.table_id)).length, () => unread);
  head();
}

function head() {
  const here = me();
  const at = location.hash;
  const mark = (href) => ({ href, "aria-current": at === href || (href === "#/" && at === "") ? "page" : null });
  show(
    top,
    h("a.skip", { href: "#main", onclick: (/** @type {Event} */ event) => { event.preventDefault(); main.focus(); } }, t("skip")),
    h("a.brand", { href: "#/" }, h("img", { src: "/web/icon.svg", alt: "", width: 26, height: 26 }), "Posta"),
    h("nav", { "aria-label": "Posta" },
      here && h("a", mark("#/new"), t("new_table")),
      here && h("a", { ...mark("#/notices"), "aria-label": `${t("notices")}: ${unread}` }, s("svg.bell", { viewBox: "0 0 24 24" }, s("path", { d: "M12 2a6 6 0 0 1 6 6c0 6 2 7 3 9H3c1-2 3-3 3-9a6 6 0 0 1 6-6zM9 19h6a3 3 0 0 1-6 0z" })), unread > 0 && h("span.count", unread)),
      h("a", mark("#/settings"), here ? h("span.who", here.isGuest ? either("Guest", "Visita") : here.name) : t("settings")),
      !here && h("a", mark("#/sign-in"), t("sign_in"))),
  );
}

/** Go to an address of this page. @param {string} hash */
export function go(hash) {
  if (location.hash === hash) route();
  else location.hash = hash;
}

/** Return what to tell of a failure. @param {unknown} error */
export function said(error) {
  if (error instanceof Refused) {
    if (error.code === "offline") return t("offline");
    return [error.message, ...error.errors.map((each) => each.detail)].join(" ");
  }
  console.error(error);
  return t("failed");
}

/** Tell something for a while, to screen readers too. @param {string} text */
export function tell(text) {
  const line = h("p", text);
  news.replaceChildren(line);
  setTimeout(() => line.remove(), 6000);
}

/** Do something that may be refused, and tell so. @param {() => Promise<any>} act */
export async function attempt(act) {
  try {
    return await act();
  } catch (error) {
    tell(said(error));
    return undefined;
  }
}

/** Do something as somebody: a guest where nobody is signed in. @param {() => Promise<any>} act */
export const asSomebody = (act) =>
  attempt(async () => {
    if (!me()) await enter("guests", { locale: language() });
    return act();
  });

/** A button that is off while what it does is under way. @param {any} text @param {() => Promise<any>} act @param {any} [given] */
export function doing(text, act, given = {}) {
  const made = button(text, async () => {
    /** @type {any} */ (made).disabled = true;
    await act();
    /** @type {any} */ (made).disabled = false;
  }, given);
  return made;
}

window.addEventListener("hashchange", route);
route();
