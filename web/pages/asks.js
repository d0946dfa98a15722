/** What a table asks of its people beside moves: whether they are there, a vote, who plays on for the absent. */

import { doing } from "../app.js";
import { h } from "../dom.js";
import { either, t } from "../words.js";

/** @param {any} sitting the visit to the table @param {string[]} names */
export function asks(sitting, names) {
  const { view, table } = sitting;
  const mine = table.my_seat;
  return [
    view.presence && mine !== null && !view.presence.confirmed.includes(mine) && h("div", { class: "alert" },
      h("p", {}, either("Are you still there? The game begins when all have said so.", "¿Sigues ahí? La partida empieza cuando lo confirméis todos.")),
      doing(either("I am here", "Aquí estoy"), () => sitting.command("presence"), { class: "main" })),
    view.vote && vote(sitting, names),
    mine === null && table.status === "playing" && table.seats.filter((each) => each.seeking).map((each) => h("div", { class: "alert" },
      h("p", {}, either(`${names[each.seat]} is absent; somebody may play on.`, `${names[each.seat]} no está; alguien puede seguir en su lugar.`)),
      doing(t("join"), () => sitting.command(`seats/${each.seat}/replacement`)))),
  ];
}

/** @param {any} sitting @param {string[]} names */
function vote(sitting, names) {
  const { vote: open, viewer } = sitting.view;
  const who = names[open.seat];
  const motion = { abandon: either("end the game without a result", "terminar la partida sin resultado"), replace: either(`put a bot in the place of ${who}`, `poner un bot en lugar de ${who}`), pause: either("stop all clocks for a while", "parar todos los relojes un tiempo") }[open.motion] ?? open.motion;
  const may = open.seats.includes(viewer) && ![...open.ayes, ...open.noes].includes(viewer);
  const cast = (in_favour) => () => sitting.command(`votes/${open.vote}`, { in_favour });
  return h("div", { class: "alert" },
    h("p", {}, either(`${names[open.by]} proposes to ${motion}: ${open.ayes.length} of ${open.needed} in favour.`, `${names[open.by]} propone ${motion}: ${open.ayes.length} de ${open.needed} a favor.`)),
    may && h("div", { class: "buttons" }, doing(either("In favour", "A favor"), cast(true)), doing(either("Against", "En contra"), cast(false))));
}
