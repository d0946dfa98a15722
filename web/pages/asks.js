/** What a table asks of its people beside moves, and they of it: presence, votes, who plays on for the absent. */

import { me } from "../api.js";
import { doing } from "../app.js";
import { button, h } from "../dom.js";
import { form } from "../forms.js";
import { asked } from "./arbiter.js";
import { either, t } from "../words.js";

/** @param {any} sitting the visit to the table @param {string[]} names */
export function asks(sitting, names) {
  const { view, table } = sitting;
  const mine = table.my_seat;
  return [
    asked(sitting),
    view.outcome && !sitting.past.view && mine !== null && me()?.isGuest && h("p.quiet", t("guest"), " ", h("a", { href: "#/settings" }, t("keep_account"))),
    view.presence && mine !== null && !view.presence.confirmed.includes(mine) && h("div.alert",
      h("p", either("Are you still there? The game begins when all have said so.", "¿Sigues ahí? La partida empieza cuando lo confirméis todos.")),
      doing(either("I am here", "Aquí estoy"), () => sitting.command("presence"), { class: "main" })),
    view.vote && vote(sitting, names),
    table.status === "playing" && table.seats.filter((each) => each.seeking).map(({ seat }) => h("div.alert", { "data-key": `sought ${seat}` },
      seat === mine ? h("p", either("You were away, and another may take your seat; a move of yours keeps it.", "No estabas y otra persona puede ocupar tu asiento; si juegas, lo conservas."))
        : h("p", either(`Somebody is absent: the seat of ${names[seat]} may be taken over.`, `Falta alguien: se puede ocupar el asiento de ${names[seat]}.`)),
      mine === null && doing(t("join"), () => sitting.command(`seats/${seat}/replacement`), { class: "main" }),
      mine !== null && seat !== mine && form(sitting.sends(`seats/${seat}/offers`), { class: "line" },
        h("input", { name: "player", required: true, maxlength: 40, "aria-label": either("Name of a player", "Nombre de alguien"), placeholder: t("name") }),
        h("button", either("Offer it", "Ofrecerlo"))))),
  ];
}

/** @param {any} sitting @param {string[]} names */
function vote(sitting, names) {
  const { vote: open, viewer } = sitting.view;
  const who = names[open.seat];
  const motion = { abandon: either("end the game without a result", "terminar la partida sin resultado"), replace: either(`put a bot in the place of ${who}`, `poner un bot en lugar de ${who}`), pause: either(`stop all clocks for ${open.seconds / 86400} d`, `parar los relojes ${open.seconds / 86400} d`) }[open.motion] ?? open.motion;
  const may = open.seats.includes(viewer) && ![...open.ayes, ...open.noes].includes(viewer);
  const cast = (in_favour) => () => sitting.command(`votes/${open.vote}`, { in_favour });
  return h("div.alert",
    h("p", either(`${names[open.by]} proposes to ${motion}: ${open.ayes.length} of ${open.needed} in favour.`, `${names[open.by]} propone ${motion}: ${open.ayes.length} de ${open.needed} a favor.`)),
    may && h("div.buttons", doing(either("In favour", "A favor"), cast(true)), doing(either("Against", "En contra"), cast(false))));
}

/** Return what a player may propose or do to the game itself; each is asked once more.
 * @param {any} sitting @param {string[]} names */
export function proposals(sitting, names) {
  const { table, view, ui } = sitting;
  if (table.status !== "playing" || table.my_seat === null) return null;
  const others = table.seats.filter((each) => each.player && each.seat !== table.my_seat);
  const put = (sure) => { ui.sure = sure; sitting.draw(); };
  const offered = (text, act, given = {}) => button(text, () => put({ text, act }), given);
  const motion = (text, body) => offered(text, () => sitting.command("votes", body));
  if (ui.sure) {
    return h("div.alert", h("p", ui.sure.isFinal ? t("resign_sure") : t("propose_sure")), h("div.buttons",
      button(t("cancel"), () => put(null)),
      doing(ui.sure.text, async () => { await ui.sure.act(); put(null); }, { class: "danger" })));
  }
  return [
    !view.vote && h("details", h("summary", either("Propose to the others", "Proponer a los demás")), h("div.buttons",
      view.deadline_at && [1, 3, 7].map((days) => motion(either(`Pause for ${days} d`, `Pausa de ${days} d`), { motion: "pause", seconds: days * 86400 })),
      others.length > 1 && others.map(({ seat }) => motion(either(`A bot for ${names[seat]}`, `Un bot por ${names[seat]}`), { motion: "replace", seat })),
      motion(either("End without a result", "Terminar sin resultado"), { motion: "abandon" }))),
    button(t("resign"), () => put({ text: t("resign"), isFinal: true, act: () => sitting.command("resign") }), { class: "danger" }),
  ];
}
