/** What guards an account, and what it holds: password, devices, blocked players, data, its end. */

import { bytes, get, keep, me, put, remove } from "../api.js";
import { attempt, doing, go, route } from "../app.js";
import { button, h, save, show } from "../dom.js";
import { form, keeping } from "../forms.js";
import { newPassword, password } from "./account.js";
import { linked } from "./player.js";
import { day, either, t } from "../words.js";

/** @param {import("../app.js").Page} page */
export async function security({ main, isShown }) {
  const here = me();
  if (!here) return go("#/sign-in?then=%23%2Faccount");
  const [devices, blocks] = await Promise.all(["me/tokens", "me/blocks"].map(get));
  if (!isShown()) return undefined;
  const ends = (text, path) => doing(text, () => attempt(() => remove(path)).then(route));
  show(main, h("section.narrow",
    h("h1", t("account")),
    !here.isGuest && form(keeping((given) => put("me/password", given)), { class: "card form" },
      h("h2", either("Another password", "Otra contraseña")),
      password(either("Present password", "Contraseña actual")), newPassword("new_password"),
      h("small", either("All other devices and applications are signed out.", "Se cierra la sesión en los demás dispositivos y aplicaciones.")),
      h("button", t("save"))),
    h("div.card",
      h("h2", either("Devices and applications", "Dispositivos y aplicaciones")),
      h("ul.tables", devices.items.map((each) => h("li.line", { "data-key": each.id },
        h("span.grow", h("strong", each.label || t("nothing")), h("small", told(each))),
        each.id === here.device ? h("span.chip", either("this one", "este")) : ends(t("sign_out"), `me/tokens/${each.id}`))))),
    blocks.items.length > 0 && h("div.card",
      h("h2", either("Blocked players", "A quién bloqueas")),
      h("ul.tables", blocks.items.map((each) => h("li.line", { "data-key": each.player },
        h("span.grow", linked(each.player)), ends(either("Unblock", "Desbloquear"), `me/blocks/${encodeURIComponent(each.player)}`))))),
    h("div.card",
      h("h2", either("Your data", "Tus datos")),
      h("p", either("Everything that this server stores about you, as a file.", "Todo lo que este servidor guarda de ti, en un archivo.")),
      button(either("Download", "Descargar"), () => attempt(async () => save("posta-me.json", new Blob([await bytes("me/export")], { type: "application/json" })))),
      h("details", h("summary", either("Delete the account", "Eliminar la cuenta")),
        form(async (given) => {
          await remove("me", given);
          keep(null);
          go("#/");
        }, {}, h("p", either("For good: your name, your messages and all the above are erased, and your running games are resigned. Records stay true, with somebody who left in your place.", "Para siempre: se borran tu nombre, tus mensajes y todo lo anterior, y te rindes en las partidas en curso. Los registros siguen siendo válidos, sin tu nombre.")),
        !here.isGuest && password(),
        h("button.danger", either("Delete it for good", "Eliminarla para siempre")))))));
  return undefined;
}

/** @param {any} device */
function told({ kind, scopes, created_at: since, last_used_on: used }) {
  const kinds = { session: either("signed in", "sesión"), personal: either("token", "token"), oauth: either("application", "aplicación") };
  const what = [kinds[kind] ?? kind, day(since), used && either(`last used ${day(used)}`, `último uso: ${day(used)}`), scopes?.join(", ")];
  return what.filter(Boolean).join(" · ");
}
