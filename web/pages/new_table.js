/** Opening a table: a form drawn from what the catalogue tells of the game's options. */

import { post } from "../api.js";
import { asSomebody, go } from "../app.js";
import { botName, game, games, optionsSchema } from "../catalogue.js";
import { h, show } from "../dom.js";
import { either, span, t } from "../words.js";

const CLOCKS = [300, 3600, 21600, 43200, 86400, 172800, 604800];

/** @param {import("../app.js").Page} page */
export async function newTable({ main, path, isShown }) {
  const all = await games();
  let chosen = path[1] ?? all[0].id;
  /** @type {string[]} */
  let bots = [];
  let seats = 0;

  async function draw() {
    const [of, schema] = await Promise.all([game(chosen), optionsSchema(chosen)]);
    if (!isShown()) return;
    if (seats < of.seats_min || seats > of.seats_max) seats = of.seats_min;
    bots = Array.from({ length: seats - 1 }, (_, at) => bots[at] ?? "");
    const properties = schema.$defs?.[schema.$ref?.split("/").pop()]?.properties ?? schema.properties ?? {};
    show(main, h("section.narrow",
      h("h1", t("new_table")),
      h("form.card.form", { "data-key": chosen, onsubmit: (/** @type {SubmitEvent} */ event) => submit(event, of, properties) },
        h("label", t("game"), h("select", { onchange: (event) => { chosen = event.target.value; bots = []; draw(); } },
          all.map((each) => h("option", { value: each.id, selected: each.id === chosen }, each.name)))),
        h("label", t("title"), h("input", { name: "title", maxlength: 80 })),
        h("fieldset", h("legend", t("seats")),
          of.seats_min < of.seats_max && h("label", t("seats"), h("select", { onchange: (event) => { seats = Number(event.target.value); draw(); } },
            range(of.seats_min, of.seats_max).map((each) => h("option", { value: each, selected: each === seats }, each)))),
          h("p", `1. ${t("you")}`),
          bots.map((bot, at) => h("label.line", `${at + 2}.`,
            h("select", { "aria-label": `${t("seat")} ${at + 2}`, onchange: (event) => { bots[at] = event.target.value; } },
              h("option", { value: "", selected: bot === "" }, t("person")),
              of.bots.map((each) => h("option", { value: each, selected: bot === each }, botName(of, each))))))),
        Object.keys(properties).length > 0 && h("details", h("summary", t("options")),
          Object.entries(properties).map(([id, each]) => field(of, id, each))),
        h("details", h("summary", t("table_options")),
          h("label", t("clock"), h("select", { name: "clock" },
            [...new Set([...CLOCKS, of.clock_seconds])].sort((a, b) => a - b).map((each) => h("option", { value: each, selected: each === of.clock_seconds }, span(each))),
            h("option", { value: 0 }, t("no_clock")))),
          h("label", either("Chance", "Azar"), h("select", { name: "fairness" },
            h("option", { value: "server" }, either("of the server, sealed beforehand", "del servidor, sellado de antemano")),
            h("option", { value: "players" }, either("of the server and all players", "del servidor y de quienes juegan")))),
          h("label", t("absentee"), h("select", { name: "absentee" },
            ["", "bot", "open", "forfeit"].map((each) => h("option", { value: each }, each ? t(`then_${each}`, 2) : either("as suits the game", "lo que encaje con el juego"))))),
          h("label.line", h("input", { type: "checkbox", name: "by_host" }), either("I say when it begins", "Yo digo cuándo empieza")),
          h("label.line", h("input", { type: "checkbox", name: "private" }), t("private"))),
        h("button.main", t("make_table")))));
  }

  /** @param {SubmitEvent} event @param {any} of @param {Record<string, any>} properties */
  function submit(event, of, properties) {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    /** @type {Record<string, any>} */
    const options = {};
    for (const [id, each] of Object.entries(properties)) {
      const value = given.get(`option-${id}`);
      if (each.type === "boolean") options[id] = value !== null;
      else if (each.type === "integer") options[id] = Number(value);
      else if (value !== null) options[id] = value;
    }
    const seconds = Number(given.get("clock"));
    return asSomebody(async () => {
      const opened = await post("tables", {
        game: of.id,
        title: String(given.get("title")).trim(),
        seats,
        bots: bots.filter((each) => each !== ""),
        options,
        clock: seconds ? { kind: "per_turn", seconds } : { kind: "none" },
        visibility: given.get("private") ? "private" : "public",
        starts: given.get("by_host") ? "by_host" : "when_full",
        fairness: given.get("fairness"),
        absentee: given.get("absentee") || null,
      });
      go(`#/table/${opened.id}`);
    });
  }

  await draw();
}

/** @param {number} from @param {number} to */
const range = (from, to) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** Draw one option by its JSON Schema, with the words of the catalogue.
 * @param {any} of @param {string} id @param {any} schema */
function field(of, id, schema) {
  const words = of.names.options?.[id] ?? {};
  const name = `option-${id}`;
  const help = h("small", words.help ?? schema.description);
  if (schema.type === "boolean") {
    return h("label", h("span.line", h("input", { type: "checkbox", name, checked: schema.default }), words.name ?? id), help);
  }
  const control = schema.enum
    ? h("select", { name }, schema.enum.map((each) => h("option", { value: each, selected: each === schema.default }, words.values?.[each] ?? each)))
    : h("input", { name, type: schema.type === "integer" ? "number" : "text", min: schema.minimum, max: schema.maximum, value: schema.default ?? "", required: true });
  return h("label", words.name ?? id, control, help);
}
