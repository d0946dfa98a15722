/** Signing in and up, and the few settings of this client. */

import { keep, language, me, patch, signIn, signOut, signUp } from "../api.js";
import { attempt, go, route } from "../app.js";
import { button, h, show } from "../dom.js";
import { t } from "../words.js";
/** @import { Page } from "../app.js" */

/** @param {Page} page */
export function account({ main, path, query }) {
  const isNew = path[0] === "sign-up";
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const done = await attempt(async () => {
      await (isNew ? signUp : signIn)(String(given.get("name")).trim(), String(given.get("password")));
      return true;
    });
    if (done) go(query.get("then") ?? "#/");
  };
  show(main, h("section", { class: "narrow" },
    h("h1", {}, t(isNew ? "sign_up" : "sign_in")),
    h("form", { class: "card form", onsubmit: submit },
      h("label", {}, t("name"), h("input", { name: "name", required: true, autocomplete: "username", minlength: 2, maxlength: 40 })),
      h("label", {}, t("password"),
        h("input", { name: "password", type: "password", required: true, minlength: isNew ? 10 : 1, autocomplete: isNew ? "new-password" : "current-password" }),
        isNew && h("small", {}, t("password_help"))),
      h("button", { class: "main" }, t(isNew ? "sign_up" : "sign_in"))),
    h("p", { class: "quiet" }, t(isNew ? "have_account" : "new_here"), " ",
      h("a", { href: isNew ? "#/sign-in" : "#/sign-up" }, t(isNew ? "sign_in" : "sign_up")))));
}

/** @param {Page} page */
export function settings({ main }) {
  const here = me();
  const choose = async (/** @type {Event} */ event) => {
    const chosen = /** @type {HTMLSelectElement} */ (event.target).value;
    localStorage.setItem("posta.language", chosen);
    if (here) await attempt(() => patch("me", { locale: chosen }));
    route();
  };
  show(main, h("section", { class: "narrow" },
    h("h1", {}, t("settings")),
    h("div", { class: "card form" },
      h("label", {}, t("language"),
        h("select", { onchange: choose },
          [["en", "English"], ["es", "Español"]].map(([id, name]) =>
            h("option", { value: id, lang: id, selected: language() === id }, name)))),
      h("p", { class: "quiet" }, t("look"))),
    here && h("div", { class: "card" },
      h("p", {}, h("strong", {}, here.name)),
      here.isGuest && h("p", { class: "quiet" }, t("guest")),
      here.password && h("details", {}, h("summary", {}, t("guest_keep")),
        h("dl", {}, h("dt", {}, t("name")), h("dd", {}, h("code", {}, here.name)), h("dt", {}, t("password")), h("dd", {}, h("code", {}, here.password)))),
      button(t("sign_out"), async () => {
        await signOut();
        keep(null);
        go("#/");
      })),
    !here && h("p", {}, h("a", { class: "button main", href: "#/sign-in" }, t("sign_in")), " ", h("a", { class: "button", href: "#/sign-up" }, t("sign_up"))),
    h("p", { class: "quiet" }, h("a", { href: "#/gallery" }, t("gallery")), " · ", h("a", { href: "/docs" }, t("developers")))));
}
