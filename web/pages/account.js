/** Signing in and up, and another password where the old one is forgotten. */

import { enter, keep, language, post } from "../api.js";
import { go, tell } from "../app.js";
import { h, show } from "../dom.js";
import { field, form } from "../forms.js";
import { either, t } from "../words.js";
/** @import { Page } from "../app.js" */

/** @param {Page} page */
export function account({ main, path, query }) {
  const isNew = path[0] === "sign-up";
  const word = t(isNew ? "sign_up" : "sign_in");
  const submit = async (given) => {
    await enter(isNew ? "players" : "sessions", isNew ? { ...given, locale: language() } : given);
    go(query.get("then") ?? "#/");
  };
  show(main, h("section.narrow",
    h("h1", word),
    form(submit, { class: "card form" }, credentials(isNew), h("button.main", word)),
    !isNew && h("p", h("a", { href: "#/reset" }, either("Forgotten your password?", "¿Olvidaste la contraseña?"))),
    h("p.quiet", t(isNew ? "have_account" : "new_here"), " ",
      h("a", { href: isNew ? "#/sign-in" : "#/sign-up" }, t(isNew ? "sign_in" : "sign_up")))));
}

/** Another password by a code that is mailed: first whose, then, also by the mail's link, the code.
 * @param {Page} page */
export function reset({ main, query }) {
  const name = query.get("name");
  const ask = async ({ account: whose }) => {
    await post("password-resets", { account: whose });
    go(`#/reset?name=${whose.includes("@") ? "" : encodeURIComponent(whose)}`);
  };
  const choose = async (given) => {
    await post("password-resets/confirmation", given);
    keep(null); // it ends all tokens, this one too
    await enter("sessions", { name: given.name, password: given.password });
    tell(t("saved"));
    go("#/");
  };
  show(main, h("section.narrow",
    h("h1", either("Another password", "Otra contraseña")),
    name === null
      ? form(ask, { class: "card form" },
        field(either("Your name here, or your e-mail address", "Tu nombre aquí o tu correo"), "account", { required: true, maxlength: 254, autocomplete: "username" }),
        h("button.main", either("Mail me a code", "Enviarme un código")))
      : form(choose, { class: "card form" },
        h("p", either("If that account has a confirmed address, a mail with a code is on its way. The code is good for an hour.", "Si esa cuenta tiene una dirección confirmada, llegará un correo con un código. Vale durante una hora.")),
        field(t("name"), "name", { required: true, value: name, autocomplete: "username" }),
        field(either("Code", "Código"), "code", { required: true, value: query.get("code") ?? "", autocomplete: "one-time-code" }),
        newPassword("password"),
        h("button.main", t("save")))));
}

/** Return the field for a password that is chosen. @param {string} name */
export const newPassword = (name) => field(either("New password", "Contraseña nueva"), name, { type: "password", required: true, minlength: 10, maxlength: 200, autocomplete: "new-password" }, t("password_help"));

/** Return the field for the present password. @param {string} [text] */
export const password = (text = t("password")) => field(text, "password", { type: "password", required: true, autocomplete: "current-password" });

/** Return the fields for name and password. @param {boolean} isNew */
export const credentials = (isNew) => [
  field(t("name"), "name", { required: true, autocomplete: "username", minlength: 2, maxlength: 40 }),
  isNew ? newPassword("password") : password(),
];
