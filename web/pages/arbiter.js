/** The arbiter of a table: asked by its host, agreeing, deciding. */

import { me, post, remove } from "../api.js";
import { attempt, doing } from "../app.js";
import { h } from "../dom.js";
import { choice, field, form } from "../forms.js";
import { either, t } from "../words.js";
import { linked } from "./player.js";

/** Ask whoever is to arbitrate. @param {any} sitting the visit to the table */
export function asked(sitting) {
  const { arbiter: found } = sitting.table;
  return found?.is_me && !found.accepted && h("div.alert",
    h("p", either("You are asked to arbitrate this table: you would see nothing hidden, and decide when players cannot agree.", "Te piden que arbitres esta mesa: no verías nada oculto y decidirías cuando no haya acuerdo.")),
    h("div.buttons",
      doing(either("I will", "Acepto"), () => sitting.command("arbiter/acceptance"), { class: "main" }),
      release(sitting, either("Decline", "No, gracias"))));
}

/** @param {any} sitting @param {string} text */
const release = (sitting, text) => doing(text, () => attempt(() => remove(`tables/${sitting.id}/arbiter`)).then(() => sitting.renew()));

/** Tell who arbitrates, and offer what the host and the arbiter may do about it. @param {any} sitting @param {string[]} names */
export function arbiter(sitting, names) {
  const { table } = sitting;
  const { arbiter: found } = table;
  const isOpen = table.status === "open";
  if (!isOpen && table.status !== "playing") return null;
  const isHost = table.host === me()?.name;
  if (!found) {
    return isOpen && isHost && h("details", h("summary", either("Ask somebody to arbitrate", "Pedir arbitraje")),
      form(sitting.sends("arbiter"), { class: "line" }, h("input", { name: "player", required: true, maxlength: 40, "aria-label": either("Name of a player without a seat", "Nombre de alguien sin asiento"), placeholder: t("name") }), h("button", t("send"))));
  }
  return [
    h("p", either("Arbiter: ", "Arbitraje: "), found.player ? linked(found.player) : t("gone"), !found.accepted && either(" (is asked)", " (sin respuesta aún)")),
    found.is_me && found.accepted && table.status === "playing" && rulings(sitting, names),
    (found.is_me ? found.accepted : isHost && (isOpen || !found.accepted)) && release(sitting, either("No arbiter any more", "Sin arbitraje")),
  ];
}

/** @param {any} sitting @param {string[]} names */
function rulings(sitting, names) {
  const { ui, table } = sitting;
  const all = {
    pause: either("Stop all clocks", "Parar los relojes"), resume: either("Let the clocks run", "Reanudar los relojes"), extend: either("More time for this turn", "Más tiempo para este turno"),
    remove: either("Take a player out", "Retirar a alguien"), adjudicate: either("End with places", "Terminar con puestos"), annul: either("End without a result", "Terminar sin resultado"),
  };
  const reasons = {
    dispute: either("a dispute", "una disputa"), conduct: either("how somebody behaves", "la conducta de alguien"), request: either("a player's request", "a petición de alguien"),
    fault: either("a fault of the server", "un fallo del servidor"), mended: either("it is mended", "ya está arreglado"), law: either("a demand by law", "una exigencia legal"),
  };
  const ruling = (ui.ruling ??= "pause");
  const number = (text, name, most) => field(text, name, { type: "number", required: true, min: 1, max: most, value: 1 });
  return h("details", h("summary", either("Decide something", "Decidir algo")),
    form(async ({ reason, hours, seat, ...places }) => {
      const given = { pause: { hours: Number(hours) }, extend: { hours: Number(hours) }, remove: { seat: Number(seat) }, adjudicate: { places: names.map((_, at) => Number(places[at])) } }[ruling];
      await post(`tables/${table.id}/rulings`, { ruling, reason, ...given });
      await sitting.renew();
    }, {},
    choice(either("What", "Qué"), "ruling", all, ruling, { onchange: (event) => { ui.ruling = event.target.value; sitting.draw(); } }),
    h("div.form", { "data-key": ruling },
      ["pause", "extend"].includes(ruling) && number(either("Hours", "Horas"), "hours", 720),
      ruling === "remove" && choice(t("seat"), "seat", Object.fromEntries(table.seats.filter((each) => each.player).map(({ seat }) => [seat, names[seat]]))),
      ruling === "adjudicate" && names.map((name, at) => number(either(`Place of ${name}`, `Puesto de ${name}`), String(at), names.length))),
    choice(either("Why", "Por qué"), "reason", reasons),
    h("small", either("All see it, with its reason. ", "Lo ven todos, con su motivo. "), t("final")),
    h("button.danger", either("Decide", "Decidir"))));
}
