/** The events of a table with their sentences, got page by page and kept. */

import { get } from "./api.js";

/** @typedef {{position: number, type: string, occurred_at: string, actor_seat: number | null, data: any, sentence: string}} Entry */

export class Log {
  /** @param {string} table */
  constructor(table) {
    this.table = table;
    /** @type {Entry[]} */
    this.entries = [];
  }

  /** Get what is there after what is kept; return whether that was anything. */
  async update() {
    let after = this.entries.length; // positions count 1, 2, 3 without a gap
    const before = after;
    for (let more = true; more; ) {
      const query = `after=${after}&limit=200`;
      const [events, told] = await Promise.all([
        get(`tables/${this.table}/events?${query}`),
        get(`tables/${this.table}/narration?${query}`),
      ]);
      const count = Math.min(events.items.length, told.items.length); // one may be asked a moment later
      for (let at = 0; at < count; at += 1) this.entries.push({ ...events.items[at], sentence: told.items[at].sentence });
      more = (events.has_more || told.has_more) && count > 0;
      after += count;
    }
    return this.entries.length > before;
  }

  /** Return the entries up to a position. @param {number} position */
  upto(position) {
    return this.entries.slice(0, position);
  }
}

/** Return the number of the turn that is open after each entry. @param {Entry[]} entries */
export function turns(entries) {
  let turn = 0;
  return entries.map((each) => {
    if (each.type === "clock.deadline_set") turn = each.data.turn ?? turn;
    return turn;
  });
}

const SEAT = /(?:\b[Ss]eat|\b[Ee]l asiento|\b[Aa]siento) (\d+)\b/g;

/** Return a sentence with the bots, which the server calls by their seats, by the names shown here.
 * @param {string} sentence @param {any[]} seats @param {string[]} names */
export function named(sentence, seats, names) {
  const text = sentence.replace(SEAT, (whole, seat) => (seats[seat]?.bot ? names[seat] : whole));
  return text.replace(/\bde el\b/g, "del").replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}
