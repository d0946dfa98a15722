/** What the player was told, the newest first; what is shown here counts as read. */

import { put } from "../api.js";
import { countNotices, latestNotices } from "../app.js";
import { h, show } from "../dom.js";
import { t, when } from "../words.js";

/** @param {import("../app.js").Page} page */
export async function notices({ main, isShown }) {
  const items = await latestNotices();
  if (!isShown()) return;
  show(main, h("section.narrow", h("h1", t("notices")),
    items.length === 0 && h("p.quiet", t("no_notices")),
    h("ul.tables", items.map((each) => h("li", h("a", { class: each.read ? "row" : "row due", href: `#/table/${each.table_id}` },
      h("span.grow", h("strong", each.title), h("small", h("bdi", each.table)), h("small", when(each.created_at)), each.what !== "started" && each.text)))))));
  if (items.some((each) => !each.read)) await put("me/notices/read", { upto: items[0].number });
  await countNotices();
}
