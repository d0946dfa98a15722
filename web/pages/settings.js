/** The settings of this client, and of the account: keeping a guest, quiet hours, vacations. */

import { get, keepAccount, language, me, patch, post, put, remove, signOut } from "../api.js";
import { attempt, doing, go, route, tell } from "../app.js";
import { h, show } from "../dom.js";
import { either, t, when } from "../words.js";
import { credentials, fields } from "./account.js";

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @param {import("../app.js").Page} page */
export async function settings({ main, isShown }) {
  const here = me();
  const [mine, away, email, choices] = here ? await Promise.all(["me", "me/vacations", "me/email", "me/notice-choices"].map(get)) : [];
  if (!isShown()) return;
  /** Send a form, and show what has come of it. @param {(given: FormData, event: SubmitEvent) => Promise<any>} act */
  const sends = (act) => async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    await attempt(async () => {
      await act(new FormData(/** @type {HTMLFormElement} */ (event.target)), event);
      tell(t("saved"));
      await route();
    });
  };
  const choose = async (/** @type {Event} */ event) => {
    const chosen = /** @type {HTMLSelectElement} */ (event.target).value;
    localStorage.setItem("posta.language", chosen);
    if (here) await attempt(() => patch("me", { locale: chosen }));
    route();
  };
  show(main, h("section.narrow",
    h("h1", t("settings")),
    here && h("div.card",
      h("p", h("strong", here.name)),
      here.isGuest && [h("p.quiet", t("guest")),
        h("form.form", { onsubmit: sends((_, event) => keepAccount(credentials(event))) }, fields(true), h("button.main", t("keep_account")))],
      mine?.reliability != null && h("p.quiet", either(`You answer ${mine.reliability} % of your turns in time.`, `Respondes a tiempo al ${mine.reliability} % de tus turnos.`))),
    h("div.card.form",
      h("label", t("language"),
        h("select", { onchange: choose },
          [["en", "English"], ["es", "Español"]].map(([id, name]) =>
            h("option", { value: id, lang: id, selected: language() === id }, name)))),
      h("p.quiet", t("look"))),
    mine && quiet(mine, sends),
    away && vacations(away, sends),
    email && mail(email, here.isGuest, choices, sends),
    here ? doing(t("sign_out"), async () => { await signOut(); go("#/"); })
      : h("p", h("a.button.main", { href: "#/sign-in" }, t("sign_in")), " ", h("a.button", { href: "#/sign-up" }, t("sign_up"))),
    h("p.quiet", h("a", { href: "#/gallery" }, t("gallery")), " · ", h("a", { href: "/docs" }, t("developers")))));
}

/** Hours in which no deadline falls. @param {any} mine @param {any} sends */
function quiet(mine, sends) {
  const zones = [...new Set([mine.zone, HERE, ...Intl.supportedValuesOf("timeZone")])];
  const hours = mine.quiet_hours;
  const time = (name, text, value) => h("label.grow", text, h("input", { type: "time", name, value }));
  return h("form.card.form", { "data-key": `quiet ${mine.zone}`, onsubmit: sends((given) => patch("me", {
    zone: given.get("zone"),
    quiet_hours: given.get("start") && given.get("end") ? { start: given.get("start"), end: given.get("end") } : null,
  })) },
    h("h2", either("Quiet hours", "Horas de descanso")),
    h("small", either("No deadline of yours falls into these hours, ten at most. Leave them empty for none.", "Ningún plazo tuyo cae en estas horas, diez como mucho. Vacías: sin descanso.")),
    h("div.line", time("start", either("From", "De"), hours?.start ?? ""), time("end", either("to", "a"), hours?.end ?? "")),
    h("label", either("Time zone", "Zona horaria"), h("select", { name: "zone" }, zones.map((each) => h("option", { value: each, selected: each === mine.zone }, each)))),
    h("button", t("save")));
}

/** Days on which the own clocks stand still. @param {any} away @param {any} sends */
function vacations(away, sends) {
  const moment = (given, name) => given.get(name) ? new Date(`${given.get(name)}T00:00`).toISOString() : null;
  const day = (name, text) => h("label.grow", text, h("input", { type: "date", name }));
  return h("form.card.form", { onsubmit: sends((given) => post("me/vacations", { since: moment(given, "since"), until: moment(given, "until") })) },
    h("h2", either("Vacations", "Vacaciones")),
    h("small", either("Your clocks stand still at tables that allow it: 30 days a year, 14 in a row.", "Tus relojes se paran en las mesas que lo permiten: 30 días al año, 14 seguidos."), " ",
      either(`${Math.floor(away.seconds_left / 86400)} days are left.`, `Te quedan ${Math.floor(away.seconds_left / 86400)} días.`)),
    h("ul.tables", away.items.filter((each) => Date.parse(each.until) > Date.now()).map((each) => h("li.line", { "data-key": each.id },
      h("span.grow", `${when(each.since)} – ${when(each.until)}`), doing(either("End", "Terminar"), () => attempt(() => remove(`me/vacations/${each.id}`)).then(route))))),
    h("div.line", day("since", either("From (now)", "Desde (ya)")), day("until", either("until", "hasta"))),
    h("button", either("Go on vacation", "Irme de vacaciones")));
}

/** Which address notices are mailed to, and when. @param {any} found @param {boolean} isGuest @param {any} choices @param {any} sends */
function mail({ email, confirmed }, isGuest, choices, sends) {
  const times = { immediate: either("at once", "enseguida"), hourly: either("once an hour", "cada hora"), daily: either("once a day", "una vez al día"), never: either("never", "nunca") };
  return h("form.card.form", { "data-key": `mail ${email} ${confirmed}`, onsubmit: sends(async (given) => {
    const wanted = given.get("email").trim();
    if (wanted !== (email ?? "")) await (wanted ? put("me/email", { email: wanted, password: given.get("password") ?? "" }) : remove("me/email"));
    else if (given.get("code")) await post("me/email/confirmation", { code: given.get("code").trim() });
    await put("me/notice-choices", { ...choices, mail: given.get("mail") });
  }) },
    h("h2", either("Notices by mail", "Avisos por correo")),
    h("label", either("Address", "Dirección"), h("input", { type: "email", name: "email", value: email ?? "", autocomplete: "email" }),
      h("small", either("Nobody else sees it. Leave it empty for no mails.", "Nadie más la ve. Vacía: sin correos."))),
    !isGuest && h("label", either("Your password, for another address", "Tu contraseña, para cambiar la dirección"), h("input", { type: "password", name: "password", autocomplete: "current-password" })),
    email && !confirmed && h("label", either("The code that was mailed to you", "El código que te ha llegado"), h("input", { name: "code", autocomplete: "one-time-code" })),
    h("label", either("When", "Cuándo"), h("select", { name: "mail" }, Object.entries(times).map(([id, text]) => h("option", { value: id, selected: choices.mail === id }, text)))),
    h("button", t("save")));
}
