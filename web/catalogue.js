/** The games on offer and their words, asked for once in each language. */

import { get, language, post } from "./api.js";
import { t } from "./words.js";

const kept = new Map();

/** @param {string} path @returns {Promise<any>} */
function once(path) {
  const key = `${language()} ${path}`;
  if (!kept.has(key)) {
    kept.set(key, get(path).catch((error) => {
      kept.delete(key);
      throw error;
    }));
  }
  return kept.get(key);
}

/** @returns {Promise<any[]>} */
export const games = async () => (await once("games")).items;
/** @param {string} id @returns {Promise<any>} */
export const game = (id) => once(`games/${id}`);
/** @param {string} id @returns {Promise<any>} */
export const optionsSchema = (id) => once(`games/${id}/schemas/options`);

/** Return the word of a game for a code; the code itself where there is none.
 * @param {any} of @param {string} code @returns {string} */
export const word = (of, code) => of?.names?.terms?.[code] ?? code;

/** Return what becomes of a turn whose time is up: by the game's own option, where it has one.
 * @param {any} of @param {any} table */
export function timeUp(of, table) {
  const own = of.names.options?.on_timeout;
  return own?.values ? `${own.name}: ${own.values[table.options.on_timeout]}.` : t("then_clock");
}

/** @param {any} of @param {string} bot */
export const botName = (of, bot) => word(of, `bot_${bot}`) + " (bot)";

/** Return the name of each seat's holder. @param {any} of @param {any} table @param {string} free @param {string} gone */
export function namesOf(of, table, free, gone) {
  const count = new Map();
  return table.seats.map((each) => {
    if (each.player) return each.player;
    if (!each.bot) return each.gone ? gone : free;
    const name = word(of, `bot_${each.bot}`);
    count.set(name, (count.get(name) ?? 0) + 1);
    return table.seats.filter((other) => other.bot === each.bot).length > 1 ? `${name} ${count.get(name)}` : name;
  });
}

/** Open a table against the strongest bots, with as many seats as suit a first game.
 * @param {any} of @returns {Promise<any>} */
export async function againstBots(of) {
  const full = await game(of.id);
  const seats = Math.min(full.seats_max, Math.max(full.seats_min, 4));
  const bot = full.bots.find((each) => each !== "random") ?? full.bots[0];
  return post("tables", { game: of.id, bots: Array(seats - 1).fill(bot) });
}
