/** The settings of this client, and of the account: keeping a guest, quiet hours, vacations, mails. */

import { get, keepAccount, language, me, patch, post, put, remove, signOut } from "../api.js";
import { attempt, doing, go, route } from "../app.js";
import { h, show } from "../dom.js";
import { choice, field, form, keeping } from "../forms.js";
import { either, t, when } from "../words.js";
import { credentials } from "./account.js";
import { linked } from "./player.js";

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @param {import("../app.js").Page} page */
export async function settings({ main, isShown }) {
  const here = me();
  const [mine, away, email, choices] = here ? await Promise.all(["me", "me/vacations", "me/email", "me/notice-choices"].map(get)) : [];
  if (!isShown()) return;
  const choose = async (/** @type {Event} */ event) => {
    const chosen = /** @type {HTMLSelectElement} */ (event.target).value;
    localStorage.setItem("posta.language", chosen);
    if (here) await attempt(() => patch("me", { locale: chosen }));
    route();
  };
  show(main, h("section.narrow",
    h("h1", t("settings")),
    here && h("div.card",
      h("p", h("strong", linked(here.name))),
      here.isGuest && [h("p.quiet", t("guest")), form(keeping(keepAccount), {}, credentials(true), h("button.main", t("keep_account")))],
      mine?.reliability != null && h("p.quiet", either(`You answer ${mine.reliability} % of your turns in time.`, `Respondes a tiempo al ${mine.reliability} % de tus turnos.`)),
      h("p", h("a.button", { href: "#/account" }, t("account")))),
    h("div.card.form",
      choice(t("language"), "language", { en: "English", es: "Español" }, language(), { onchange: choose })),
    mine && quiet(mine),
    away && vacations(away),
    email && mail(email, mine.guest, choices),
    here ? h("p", doing(t("sign_out"), async () => { await signOut(); go("#/"); }))
      : h("p", h("a.button.main", { href: "#/sign-in" }, t("sign_in")), " ", h("a.button", { href: "#/sign-up" }, t("sign_up"))),
    h("p.quiet", h("a", { href: "#/gallery" }, t("gallery")), " · ", h("a", { href: "/docs" }, t("developers")))));
}

/** Hours in which no deadline falls. @param {any} mine */
function quiet(mine) {
  const zones = [...new Set([mine.zone, HERE, ...Intl.supportedValuesOf("timeZone")])];
  const hours = mine.quiet_hours;
  return form(keeping(({ zone, start, end }) => patch("me", { zone, quiet_hours: start && end ? { start, end } : null })), { class: "card form", "data-key": `quiet ${mine.zone}` },
    h("h2", either("Quiet hours", "Horas de descanso")),
    h("small", either("No deadline of yours falls into these hours, ten at most. Leave them empty for none.", "Ningún plazo tuyo cae en estas horas, diez como mucho. Vacías: sin descanso.")),
    h("div.line.even", field(either("From", "De"), "start", { type: "time", value: hours?.start ?? "" }), field(either("to", "a"), "end", { type: "time", value: hours?.end ?? "" })),
    choice(either("Time zone", "Zona horaria"), "zone", Object.fromEntries(zones.map((each) => [each, each])), mine.zone),
    h("button", t("save")));
}

/** Days on which the own clocks stand still. @param {any} away */
function vacations(away) {
  const moment = (/** @type {string} */ date) => date ? new Date(`${date}T00:00`).toISOString() : null;
  return form(keeping(({ since, until }) => post("me/vacations", { since: moment(since), until: moment(until) })), { class: "card form" },
    h("h2", either("Vacations", "Vacaciones")),
    h("small", either("Your clocks stand still at tables that allow it: 30 days a year, 14 in a row.", "Tus relojes se paran en las mesas que lo permiten: 30 días al año, 14 seguidos."), " ",
      either(`${Math.floor(away.seconds_left / 86400)} days are left.`, `Te quedan ${Math.floor(away.seconds_left / 86400)} días.`)),
    h("ul.tables", away.items.filter((each) => Date.parse(each.until) > Date.now()).map((each) => h("li.line", { "data-key": each.id },
      h("span.grow", `${when(each.since)} – ${when(each.until)}`), doing(either("End", "Terminar"), () => attempt(() => remove(`me/vacations/${each.id}`)).then(route))))),
    h("div.line.even", field(either("From (now)", "Desde (ya)"), "since", { type: "date" }), field(either("until", "hasta"), "until", { type: "date" })),
    h("button", either("Go on vacation", "Irme de vacaciones")));
}

/** Which address notices are mailed to, and when. @param {any} found @param {boolean} isGuest @param {any} choices */
function mail({ email, confirmed }, isGuest, choices) {
  const times = { immediate: either("at once", "enseguida"), hourly: either("once an hour", "cada hora"), daily: either("once a day", "una vez al día"), never: either("never", "nunca") };
  return form(keeping(async (given) => {
    if (given.email !== (email ?? "")) await (given.email ? put("me/email", { email: given.email, password: given.password ?? "" }) : remove("me/email"));
    else if (given.code) await post("me/email/confirmation", { code: given.code });
    await put("me/notice-choices", { ...choices, mail: given.mail });
  }), { class: "card form", "data-key": `mail ${email} ${confirmed}` },
    h("h2", either("Notices by mail", "Avisos por correo")),
    field(either("Address", "Dirección"), "email", { type: "email", value: email ?? "", autocomplete: "email" }, either("Nobody else sees it. Leave it empty for no mails. It also helps when you forget your password.", "Nadie más la ve. Vacía: sin correos. También sirve si olvidas la contraseña.")),
    !isGuest && field(either("Your password, for another address", "Tu contraseña, para otra dirección"), "password", { type: "password", autocomplete: "current-password" }),
    email && !confirmed && field(either("The code that was mailed to you", "El código que te ha llegado"), "code", { autocomplete: "one-time-code" }),
    choice(either("When", "Cuándo"), "mail", times, choices.mail),
    h("button", t("save")));
}
