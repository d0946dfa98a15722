/** Signing in and up. */

import { enter, language } from "../api.js";
import { attempt, go } from "../app.js";
import { h, show } from "../dom.js";
import { t } from "../words.js";
/** @import { Page } from "../app.js" */

/** @param {Page} page */
export function account({ main, path, query }) {
  const isNew = path[0] === "sign-up";
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const given = credentials(event);
    if (await attempt(() => enter(isNew ? "players" : "sessions", isNew ? { ...given, locale: language() } : given).then(() => true))) {
      go(query.get("then") ?? "#/");
    }
  };
  show(main, h("section.narrow",
    h("h1", t(isNew ? "sign_up" : "sign_in")),
    h("form.card.form", { onsubmit: submit },
      fields(isNew),
      h("button.main", t(isNew ? "sign_up" : "sign_in"))),
    h("p.quiet", t(isNew ? "have_account" : "new_here"), " ",
      h("a", { href: isNew ? "#/sign-in" : "#/sign-up" }, t(isNew ? "sign_in" : "sign_up")))));
}

/** Return the fields for name and password. @param {boolean} isNew */
export const fields = (isNew) => [
  h("label", t("name"), h("input", { name: "name", required: true, autocomplete: "username", minlength: 2, maxlength: 40 })),
  h("label", t("password"),
    h("input", { name: "password", type: "password", required: true, minlength: isNew ? 10 : 1, autocomplete: isNew ? "new-password" : "current-password" }),
    isNew && h("small", t("password_help"))),
];

/** Return what these fields hold. @param {SubmitEvent} event */
export function credentials(event) {
  const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
  return { name: String(given.get("name")).trim(), password: String(given.get("password")) };
}
