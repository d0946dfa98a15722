/** Opening a table: a form drawn from what the catalogue tells of the game's options. */

import { post } from "../api.js";
import { asSomebody, go } from "../app.js";
import { botName, game, games, optionsSchema } from "../catalogue.js";
import { h, show } from "../dom.js";
import { choice, field, form } from "../forms.js";
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
      form((given) => submit(given, of, properties), { class: "card form", "data-key": chosen },
        choice(t("game"), "game", Object.fromEntries(all.map((each) => [each.id, each.name])), chosen, { onchange: (event) => { chosen = event.target.value; bots = []; draw(); } }),
        field(t("title"), "title", { maxlength: 80 }),
        h("fieldset", h("legend", t("seats")),
          of.seats_min < of.seats_max && choice(either("How many", "Cuántos"), "seats", Object.fromEntries(Array.from({ length: of.seats_max - of.seats_min + 1 }, (_, at) => [of.seats_min + at, `${of.seats_min + at}`])), seats, { onchange: (event) => { seats = Number(event.target.value); draw(); } }),
          h("p", `1. ${t("you")}`),
          bots.map((bot, at) => h("label.line", `${at + 2}.`,
            h("select", { "aria-label": `${t("seat")} ${at + 2}`, onchange: (event) => { bots[at] = event.target.value; } },
              h("option", { value: "", selected: bot === "" }, t("person")),
              of.bots.map((each) => h("option", { value: each, selected: bot === each }, botName(of, each))))))),
        Object.keys(properties).length > 0 && h("details", h("summary", t("options")),
          Object.entries(properties).map(([id, each]) => option(of, id, each))),
        h("details", h("summary", t("table_options")),
          choice(t("clock"), "clock", { ...Object.fromEntries([...CLOCKS, of.clock_seconds].map((each) => [each, span(each)])), none: t("no_clock") }, of.clock_seconds),
          choice(either("Chance", "Azar"), "fairness", {
            server: either("of the server, sealed beforehand", "del servidor, sellado de antemano"),
            players: either("of the server and all players", "del servidor y de quienes juegan"),
          }),
          choice(t("absentee"), "absentee", { "": either("as suits the game", "lo que encaje con el juego"), bot: t("then_bot", 2), open: t("then_open", 2), forfeit: t("then_forfeit", 2) }),
          h("label.line", h("input", { type: "checkbox", name: "by_host" }), either("I say when it begins", "Yo digo cuándo empieza")),
          h("label.line", h("input", { type: "checkbox", name: "private" }), t("private"))),
        h("button.main", t("make_table")))));
  }

  /** @param {Record<string, string>} given @param {any} of @param {Record<string, any>} properties */
  function submit(given, of, properties) {
    /** @type {Record<string, any>} */
    const options = {};
    for (const [id, each] of Object.entries(properties)) {
      const value = given[`option-${id}`];
      if (each.type === "boolean") options[id] = value !== undefined;
      else if (each.type === "integer") options[id] = Number(value);
      else if (value !== undefined) options[id] = value;
    }
    const seconds = Number(given.clock);
    return asSomebody(async () => {
      const opened = await post("tables", {
        game: of.id,
        title: given.title,
        seats,
        bots: bots.filter((each) => each !== ""),
        options,
        clock: seconds ? { kind: "per_turn", seconds } : { kind: "none" },
        visibility: given.private ? "private" : "public",
        starts: given.by_host ? "by_host" : "when_full",
        fairness: given.fairness,
        absentee: given.absentee || null,
      });
      go(`#/table/${opened.id}`);
    });
  }

  await draw();
}

/** Draw one option by its JSON Schema, with the words of the catalogue.
 * @param {any} of @param {string} id @param {any} schema */
function option(of, id, schema) {
  const words = of.names.options?.[id] ?? {};
  const name = `option-${id}`;
  const help = h("small", words.help ?? schema.description, schema.maximum && ` ${schema.minimum}–${schema.maximum}.`);
  if (schema.type === "boolean") {
    return h("label", h("span.line", h("input", { type: "checkbox", name, checked: schema.default }), words.name ?? id), help);
  }
  const control = schema.enum
    ? h("select", { name }, schema.enum.map((each) => h("option", { value: each, selected: each === schema.default }, words.values?.[each] ?? each)))
    : h("input", { name, type: schema.type === "integer" ? "number" : "text", min: schema.minimum, max: schema.maximum, value: schema.default ?? "", required: true });
  return h("label", words.name ?? id, control, help);
}
