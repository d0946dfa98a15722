/** What has happened since the last look, shown one step after the other before the present is. */

import { get } from "../api.js";
import { button, h } from "../dom.js";
import { either } from "../words.js";
/** @import { Drawing } from "../games/index.js" */
/** @import { Entry } from "../log.js" */

const STEP = 1200; // milliseconds that a step stays
const ALL = 12_000; // that many of them take together

export class Past {
  /** @param {string} table @param {() => boolean} isWanted @param {() => void} redraw */
  constructor(table, isWanted, redraw) {
    this.table = table;
    this.isWanted = isWanted;
    this.redraw = redraw;
    /** @type {any} the view that is shown instead of the present one, if any */ this.view = null;
    /** @type {number[]} positions to be shown yet */ this.steps = [];
    this.all = 0;
    this.isSwept = false;
    /** @type {any} */ this.skip = null;
  }

  /** Whether a step is left that the present does not show as well. */
  get isBehind() {
    return this.steps.length > (this.isSwept ? 0 : 1);
  }

  /** Show what a player would watch of what came after a view.
   * @param {any} before @param {Entry[]} entries @param {Drawing} drawing */
  add(before, entries, { steps = [], sweeps = [] }) {
    for (const { type, position } of entries) {
      if (sweeps.includes(type)) this.isSwept = true;
      if (!steps.includes(type)) continue;
      this.steps.push(position);
      this.all += 1;
      this.isSwept = false;
    }
    if (this.view) return;
    if (this.isBehind) this.run(before);
    else this.forget();
  }

  /** @param {any} before what is shown until the first step is there */
  async run(before) {
    this.view = before;
    while (this.isBehind && this.isWanted()) {
      const view = await get(`tables/${this.table}/view?at=${this.steps[0]}`).catch(() => null);
      if (!view || !this.isBehind) break;
      this.view = view;
      this.redraw();
      document.querySelector(".fresh")?.scrollIntoView({ block: "nearest" });
      await new Promise((done) => { this.skip = done; setTimeout(done, Math.min(STEP, ALL / this.all)); });
      this.steps.shift();
    }
    this.forget();
    if (this.isWanted()) this.redraw();
  }

  forget() {
    Object.assign(this, { view: null, steps: [], all: 0, isSwept: false });
  }

  /** Go to the present at once. */
  end() {
    this.steps = [];
    this.skip?.();
  }

  /** Say which step of how many is shown, and what happens in it. @param {string} sentence */
  banner(sentence) {
    return h("div.status.past",
      h("div.line", h("small", either("What has happened", "Lo que ha pasado"), ` ${this.all - this.steps.length + 1}/${this.all}`), button(either("To the present", "Al presente"), () => this.end())),
      h("b", { role: "status" }, sentence));
  }
}
