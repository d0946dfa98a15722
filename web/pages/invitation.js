/** An invitation: the link with its code, and what somebody who is not in yet sees of it. */

import { me, post } from "../api.js";
import { asSomebody, doing, go } from "../app.js";
import { games } from "../catalogue.js";
import { h, show } from "../dom.js";
import { drawingOf } from "../games/index.js";
import { either, span, t } from "../words.js";

/** Return the link that invites to a table.  Strangers may ask nothing about one: the link itself tells who
 * invites, to which game, and how long a turn may take.
 * @param {any} table */
export function linkTo({ id, invite_code: invite, game, clock }) {
  const told = new URLSearchParams({ invite, game, by: me()?.name ?? "", time: clock.seconds ?? "" });
  return `${location.origin}/#/table/${id}?${told}`;
}

/** Show somebody who is not in yet how to get in.  What the link tells is not proved, and shown as text.
 * @param {import("../app.js").Page} page */
export async function door({ main, path: [, id], query, isShown }) {
  const [invite, time] = [query.get("invite"), Number(query.get("time"))];
  const of = (await games()).find((each) => each.id === query.get("game"));
  if (!isShown()) return;
  const enter = () => asSomebody(async () => {
    if (invite) await post(`tables/${id}/join`, { invite_code: invite });
    go(`#/table/${id}`);
  });
  show(main, h("section.narrow.card.centre",
    of && h("div.art", { class: of.id, "aria-hidden": "true" }, drawingOf(of.id).emblem()),
    h("h1", invite ? [h("bdi", query.get("by")?.slice(0, 40) || "Posta"), either(" invites you to a game", " te invita a una partida"), of && `: ${of.name}`] : t("tagline")),
    invite && h("p", "Posta: ", t("tagline"), time > 0 && ` ${t("clock")}: ${span(time)}. `, of && h("a", { href: `#/rules/${of.id}` }, t("rules"))),
    h("p", doing(invite ? t("join") : either("Look on as a guest", "Mirar como visita"), enter, { class: "main" })),
    !me() && h("p", invite && either("No account is needed: you play as a guest. ", "No hace falta cuenta: juegas como visita. "), t("have_account"), " ",
      h("a", { href: `#/sign-in?then=${encodeURIComponent(location.hash)}` }, t("sign_in")))));
}
