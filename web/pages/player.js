/** A player as everybody sees them; muting, blocking and reporting. */

import { get, me, post, put, remove } from "../api.js";
import { attempt, doing, go, route, tell } from "../app.js";
import { games } from "../catalogue.js";
import { h, show } from "../dom.js";
import { field, form } from "../forms.js";
import { rows } from "./home.js";
import { either, locale, t } from "../words.js";

/** @param {import("../app.js").Page} page */
export async function player({ main, path, isShown }) {
  if (!me()) return go(`#/sign-in?then=${encodeURIComponent(location.hash)}`);
  const [of, tables, blocks, mutes, all] = await Promise.all([...[`players/${path[1]}`, `tables?player=${path[1]}&limit=10`, "me/blocks", "me/mutes"].map(get), games()]);
  if (!isShown()) return undefined;
  const names = new Map(all.map((each) => [each.id, each.name]));
  document.title = of.name;
  /** @param {string} kind @param {any} held @param {string} on @param {string} off */
  const toggle = (kind, held, on, off) => {
    const isOn = held.items.some((each) => each.player === of.name);
    return doing(isOn ? off : on, () => attempt(() => (isOn ? remove : put)(`me/${kind}/${path[1]}`)).then(route));
  };
  show(main, h("section.narrow",
    h("h1", of.name),
    h("p.quiet", of.guest && either("A guest. ", "De visita. "), either("Here since ", "Aquí desde el "), new Date(of.since).toLocaleDateString(locale(), { dateStyle: "long" }), ".",
      of.reliability != null && either(` Answers ${of.reliability} % of the turns in time.`, ` Responde a tiempo al ${of.reliability} % de los turnos.`)),
    of.results.length > 0 ? h("div.wide", h("table",
      h("thead", h("tr", [t("game"), either("Played", "Jugadas"), either("Won", "Ganadas"), either("Left early", "Abandonadas")].map((each) => h("th", { scope: "col" }, each)))),
      h("tbody", of.results.map((each) => h("tr", h("th", { scope: "row" }, names.get(each.game)), [each.played, each.won, each.left].map((count) => h("td", count)))))))
      : h("p", either("No game at a public table has ended yet.", "Aún no ha terminado ninguna partida en mesas públicas.")),
    of.name !== me()?.name && h("div.card",
      h("div.buttons",
        toggle("mutes", mutes, either("Mute", "Silenciar"), either("Read again", "Volver a leer")),
        toggle("blocks", blocks, either("Block", "Bloquear"), either("Unblock", "Desbloquear"))),
      h("p", h("small", either("You read nothing of whom you mute; whom you block reaches you in no way. Nobody is told.", "No lees nada de quien silencias; quien bloqueas no te alcanza de ningún modo. Nadie lo sabrá."))),
      report(`players/${path[1]}/report`))),
  tables.items.length > 0 && h("section.narrow", h("h2", t("home")), rows(tables.items, names)));
  return undefined;
}

/** Return a player's name as a link to its page. @param {string} name */
export const linked = (name) => h("a", { href: `#/player/${encodeURIComponent(name)}` }, name);

/** Return what asks staff to look at something. @param {string} path */
export const report = (path) => h("details.report", h("summary", either("Report", "Denunciar")),
  form(async (given, self) => {
    await post(path, given);
    self.reset();
    tell(either("Thank you: staff will look at it.", "Gracias: el equipo lo mirará."));
  }, { class: "line" }, h("input", { name: "reason", required: true, maxlength: 500, "aria-label": either("What is wrong?", "¿Qué ocurre?"), placeholder: either("What is wrong?", "¿Qué ocurre?") }), h("button", t("send"))));
