/** A table: what is seen, who is awaited and until when, moves, talk, and what happened. */

import { Refused, forget, get, getIfNew, me, newKey, post, put, setClock } from "../api.js";
import { attempt, doing, go, said, tell } from "../app.js";
import { game, namesOf, timeUp, word } from "../catalogue.js";
import { button, h, show } from "../dom.js";
import { contribute } from "../entropy.js";
import { offers } from "../games/generic.js";
import { drawingOf } from "../games/index.js";
import { Feed } from "../live.js";
import { Log } from "../log.js";
import { asks } from "./asks.js";
import { door, linkTo } from "./invitation.js";
import { panel, sentences } from "./panel.js";
import { Past } from "./past.js";
import { linked } from "./player.js";
import { either, isUrgent, list, t, until, when } from "../words.js";
/** @import { Page } from "../app.js" */

/** @param {Page} page */
export async function table(page) {
  const id = page.path[1];
  if (!me()) return door(page);
  let found;
  try {
    found = await get(`tables/${id}`);
  } catch (error) {
    if (page.query.has("invite") && error instanceof Refused && error.status === 404) return door(page);
    throw error;
  }
  if (!page.isShown()) return undefined;
  const of = await game(found.game);
  return new Sitting(page, id, found, of).run();
}

/** One visit to a table. */
class Sitting {
  /** @param {Page} page @param {string} id @param {any} found @param {any} of */
  constructor(page, id, found, of) {
    this.page = page;
    this.id = id;
    this.table = found;
    this.of = of;
    /** @type {any} */ this.view = null;
    this.log = new Log(id);
    /** @type {any[]} */ this.messages = [];
    /** @type {any} */ this.pending = null;
    this.pendingText = "";
    this.isSending = false;
    this.trouble = "";
    this.seenAt = 0; // when the last look succeeded; 0 after one that did not
    this.askedAt = 0;
    this.wasStale = false;
    this.isAgreed = false;
    /** @type {boolean | undefined} whether the end was shown */ this.wasOver = undefined;
    /** @type {string | undefined} the game after this one */ this.sequel = undefined;
    /** @type {any} */ this.ui = {};
    this.tab = "story";
    this.unread = 0;
    this.read = 0;
    /** @type {Map<string, string>} */ this.keys = new Map();
    /** @type {Promise<void>} */ this.looking = Promise.resolve();
    /** @type {Promise<void> | null} */ this.next = null;
    this.past = new Past(id, page.isShown, () => this.draw());
    this.feed = new Feed(`tables/${id}`, () => this.poll());
    for (const part of ["view", "messages"]) forget(`tables/${id}/${part}`);
  }

  async run() {
    await this.poll();
    const ticking = setInterval(() => this.tick(), 1000);
    await this.feed.run(this.page.isShown);
    clearInterval(ticking);
  }

  /** Whether what is shown may not be the present state: no news could come, and the last look is long ago. */
  get isStale() {
    return this.seenAt === 0 || (!this.feed.isAlive && Date.now() - this.seenAt > 8000);
  }

  /** Keep the time shown true, and say when what is shown has become old. */
  tick() {
    this.page.main.querySelector("[data-due]")?.replaceWith(this.clock());
    if (this.isStale !== this.wasStale) this.draw();
    if ((this.isStale || !this.feed.isAlive || this.isAgreed) && Date.now() - this.askedAt > 4000) this.poll();
  }

  /** Look at the table anew, one look after another; whoever asks while one is waited for shares it. */
  poll() {
    this.next ??= this.looking.then(() => {
      this.next = null;
      this.looking = this.look();
      return this.looking;
    });
    return this.next;
  }

  async look() {
    this.askedAt = Date.now();
    try {
      const view = await getIfNew(`tables/${this.id}/view`);
      if (view) {
        const [found] = await Promise.all([get(`tables/${this.id}`), this.log.update()]);
        this.feed.last = this.log.entries.length;
        setClock(view.server_time);
        if (this.view && this.view.turn !== view.turn && this.pending) this.choose(null, "");
        const before = this.view;
        Object.assign(this, { table: found, view });
        if (before) this.past.add(this.past.view ?? before, this.log.entries.slice(before.version, view.version), drawingOf(found.game));
        if (view.entropy) attempt(() => contribute(view));
      }
      if (this.view.outcome && !this.sequel) {
        this.sequel = (await get("tables?mine=true&limit=20")).items.find((each) => each.origin === this.id)?.id;
        if (this.sequel && this.isAgreed && this.page.isShown()) go(`#/table/${this.sequel}`);
      }
      await this.listen();
      if (this.trouble) tell(t("back"));
      this.trouble = "";
      this.seenAt = Date.now();
    } catch (error) {
      this.trouble = said(error);
      this.seenAt = 0;
      forget(`tables/${this.id}/view`); // it may be of a look that was not finished
    }
    if (this.page.isShown()) this.draw();
  }

  /** Bring the end into view when it has come, not to whoever comes later. */
  arrive() {
    const isOver = this.view.outcome !== null && !this.past.view;
    if (isOver && this.wasOver === false) {
      const end = /** @type {HTMLElement | null} */ (this.page.main.querySelector(".ending"));
      end?.focus({ preventScroll: true });
      end?.scrollIntoView({ block: "center" });
    }
    this.wasOver = isOver;
  }

  /** Get what has been said since. */
  async listen() {
    if (this.table.my_seat === null && this.table.spectator_talk === "none") return;
    const path = `tables/${this.id}/messages?after=${this.messages.at(-1)?.position ?? 0}&limit=200`;
    let heard;
    try {
      heard = await getIfNew(path);
    } catch (error) {
      if (error instanceof Refused && error.status === 403) return;
      throw error;
    }
    if (heard?.items.length) {
      if (this.messages.length === 0) this.read = heard.last_read;
      this.messages.push(...heard.items);
      this.unread += heard.items.filter((each) => each.position > this.read && each.seat !== this.table.my_seat).length;
      if (this.tab === "talk") this.hear();
    }
  }

  /** Note that all is read. */
  hear() {
    const last = this.messages.at(-1)?.position ?? 0;
    this.unread = 0;
    if (last > this.read && this.table.my_seat !== null) put(`tables/${this.id}/messages/read`, { position: last }).catch(() => {});
    this.read = last;
  }

  /** @param {any} move @param {string} text @param {boolean} [byKeyboard] */
  choose(move, text, byKeyboard = false) {
    this.pending = move;
    this.pendingText = text;
    if (this.page.isShown()) this.draw();
    if (byKeyboard && move) /** @type {HTMLElement | null} */ (this.page.main.querySelector(".bar .main"))?.focus();
  }

  /** Choose nothing. */
  drop() {
    this.choose(null, "");
    this.stay();
  }

  /** Keep the focus where the next move is chosen. */
  stay() {
    const find = (/** @type {string} */ what) => /** @type {HTMLElement | null} */ (this.page.main.querySelector(`[data-arrows]${what}`));
    (find(" [role=button]") ?? find(""))?.focus({ preventScroll: true });
  }

  /** Send the chosen move, once: the same move of the same turn always has the same key. */
  async send() {
    if (this.isSending || !this.pending || this.isStale || this.past.view) return;
    const body = { turn: this.view.turn, kind: this.pending.kind, params: this.pending.params };
    const name = JSON.stringify(body);
    const key = this.keys.get(name) ?? newKey();
    this.keys.set(name, key);
    this.isSending = true;
    this.draw();
    try {
      await post(`tables/${this.id}/moves`, body, key);
      this.pending = null;
    } catch (error) {
      tell(said(error));
      if (!(error instanceof Refused) || error.code !== "offline") this.pending = null;
      forget(`tables/${this.id}/view`);
    }
    await this.poll(); // what is shown until then answers a turn that is over
    this.isSending = false;
    this.draw();
    if (!this.view.outcome) this.stay();
  }

  /** Look at what no event tells of, too. */
  renew() {
    forget(`tables/${this.id}/view`);
    return this.poll();
  }

  /** @param {string} what @param {any} [body] */
  async command(what, body = {}) {
    const answer = await attempt(() => post(`tables/${this.id}/${what}`, body));
    await this.renew();
    return answer;
  }

  /** Return what a form of this table is to do: send what stands in it, and show what has come of it.
   * @param {string} what @returns {(given: any, self: HTMLFormElement) => Promise<any>} */
  sends(what) {
    return async (given, self) => {
      await post(`tables/${this.id}/${what}`, given);
      self.reset();
      await this.renew();
    };
  }

  draw() {
    const { table: found, view } = this;
    if (!view) return;
    const isStale = (this.wasStale = this.isStale);
    const names = namesOf(this.of, found, t("free"), t("gone"));
    const drawing = drawingOf(found.game);
    const seen = this.past.view ?? view;
    const may = !isStale && !this.isSending && seen === view ? view.legal_moves : [];
    /** @type {import("../games/index.js").Scene} */
    const scene = {
      data: seen.data, of: this.of, names, me: view.viewer, ui: this.ui, legal: may, pending: this.pending, log: this.log.upto(seen.version),
      awaited: seen.awaited.map((each) => each.seat),
      word: (code) => word(this.of, code),
      choose: (move, text, byKeyboard) => this.choose(move, text, byKeyboard),
      redraw: () => this.draw(),
    };
    const isDealt = Object.keys(seen.data).length > 0;
    document.title = `${view.awaited.some((each) => each.seat === found.my_seat) ? "● " : ""}${found.title || this.of.name} – Posta`;
    const others = may.filter((each) => !drawing.kinds.includes(each.kind));
    const moves = others.length > 0 && h("div.card", h("h2", t("moves")), offers(scene, others));
    show(
      this.page.main,
      h("div", { class: `table ${found.game}` },
        h("div.board",
          h("div.title", h("h1.grow", found.title && h("small", this.of.name), h("bdi", found.title || this.of.name)), h("a.round", { href: `#/rules/${found.game}?table=${this.id}`, "aria-label": t("rules") }, "?"), this.clock()),
          found.sandbox && h("p", h("strong", t("sandbox"))),
          isStale && h("p.alert", { role: "alert" }, this.trouble || t("offline")),
          seen !== view && this.past.banner(sentences(scene.log.slice(-12), found.game, found.seats, names)[0]?.textContent ?? ""),
          h("div", { class: isStale ? "stale" : "" }, seen === view && this.banner(scene), asks(this, names)),
          drawing.kinds.length === 0 && moves, // the tree is long
          isDealt ? h("div", { class: isStale ? "stale" : "" }, drawing.draw(scene)) : this.lobby(names),
          drawing.kinds.length > 0 && moves,
          this.pending && seen === view && this.bar()),
        panel(this, names)),
    );
    this.arrive();
  }

  clock() {
    const { view, table: found } = this;
    if (found.status === "finished") return h("a.button", { href: `#/table/${this.id}/replay` }, t("replay"));
    if (found.status !== "playing") return h("span.chip", t(found.status));
    if (!view.deadline_at) return h("span.chip", t("no_deadline"));
    const isHot = view.awaited.some((each) => each.seat === found.my_seat) && isUrgent(this.due(), found.clock.seconds);
    return h("span", { class: isHot ? "chip hot" : "chip", "data-due": "" }, t("left", until(this.due())));
  }

  /** Until when an answer is awaited: mine, or the first. */
  due() {
    return this.view.clocks.find((each) => each.seat === this.table.my_seat)?.due_at ?? this.view.deadline_at;
  }

  /** Say what the table waits for, or how it ended. @param {import("../games/index.js").Scene} scene */
  banner(scene) {
    const { names } = scene;
    const { view, table: found } = this;
    if (found.suspended) return h("p.alert", either("Something is wrong with this table; the staff look into it.", "Algo va mal en esta mesa; el equipo lo está mirando."));
    if (view.outcome) return this.ending(scene);
    if (found.status === "closed") return h("p.status", t("closed"));
    const left = found.seats.filter((each) => !each.player && !each.bot).length;
    if (found.status === "open" && left > 0) return h("p.status", { role: "status" }, t("waits_for", either(`${left} more.`, `${left} más.`)));
    if (view.entropy) return h("p.status", { role: "status" }, either("Each player's browser adds to the chance of this game …", "El navegador de cada cual aporta al azar de la partida …"));
    if (found.status === "open") return h("p.status", either("All seats are taken.", "No quedan asientos libres."));
    const pause = view.pauses.find((each) => each.seat === null || each.seat === found.my_seat);
    const awaited = view.awaited.map((each) => each.seat);
    const isMine = awaited.includes(found.my_seat);
    const bots = awaited.every((each) => found.seats[each]?.bot);
    const who = list(awaited.filter((each) => each !== found.my_seat).map((each) => names[each]));
    return [
      pause && h("p.alert", t("paused", when(pause.until))),
      h("p", { class: isMine ? "status mine" : "status", role: "status" },
        isMine ? t("your_turn") : awaited.length === 0 ? t("loading") : t(bots && awaited.length === 1 ? "bot_thinks" : "waits_for", who),
        !bots && view.deadline_at && h("small", t("until", when(this.due())), " ", timeUp(this.of, found))),
    ];
  }

  /** @param {import("../games/index.js").Scene} scene */
  ending({ data, names, word: said, me: mine }) {
    const { winners, places, scores, reason } = this.view.outcome;
    const called = names.map((each, seat) => (seat === mine ? t("You") : each));
    const won = winners.includes(mine);
    const side = drawingOf(this.table.game).side?.(data, said);
    const who = list(winners.map((each) => called[each]));
    const result = side && winners.length > 0 ? either(`${side} win: ${who}.`, `ganan ${side}: ${who}.`)
      : winners.length === 0 ? t("nobody_won") : t(winners.length === 1 ? "has_won" : "have_won", who);
    const ranks = names.map((_, seat) => seat).sort((a, b) => places[a] - places[b]);
    return h("div", { class: won ? "ending won" : "ending", role: "status", tabindex: -1 },
      h("p", h("strong", won ? `★ ${t(winners.length > 1 ? "you_shared" : "you_won")}` : [mine !== null && either("You lose: ", "Pierdes: "), result]), " ", won && side && `${who}. `, h("span", `${this.of.names.reasons?.[reason] ?? reason}.`)),
      new Set(places).size > 1 && !side && h("p", ranks.map((each) => `${places[each]}. ${called[each]}` + (scores ? ` (${scores[each]})` : "")).join(" · ")),
      h("div.buttons",
        h("a.button.main", { href: `#/table/${this.id}/replay` }, t("replay")),
        this.sequel ? h("a.button", { href: `#/table/${this.sequel}` }, either("The next game", "La siguiente partida"))
          : mine !== null && doing(t("rematch"), () => this.again(), { disabled: this.isAgreed }),
        this.isAgreed && h("span", either("You want to play again; waiting for the others.", "Quieres otra partida; faltan los demás."))));
  }

  /** Agree to play again; others may need to. */
  async again() {
    const found = await this.command("rematch");
    if (found?.table_id) go(`#/table/${found.table_id}`);
    this.isAgreed = found !== undefined;
    this.draw();
  }

  /** @param {string[]} names */
  lobby(names) {
    const { table: found } = this;
    const link = found.invite_code && linkTo(found);
    return h("div.card",
      found.visibility === "private" && h("p.quiet", t("private")),
      h("ol.seats", found.seats.map((each) =>
        h("li", { class: each.player || each.bot ? "taken" : "" }, each.player ? linked(each.player) : names[each.seat], each.seat === found.my_seat && ` (${t("you")})`))),
      link && found.status === "open" && h("div.form", h("label", t("invite"),
        h("input", { readonly: true, value: link })), h("div.buttons",
        button(t("copy"), async () => { await attempt(() => navigator.clipboard.writeText(link)); tell(t("copied")); }, { class: "main" }),
        navigator.share && button(t("send"), () => navigator.share({ url: link }).catch(() => {})))),
      h("div.buttons",
        found.my_seat === null && !found.arbiter?.is_me && found.status === "open" && doing(t("join"), () => this.command("join"), { class: "main" }),
        found.my_seat !== null && found.status === "open" && found.starts === "by_host" && doing(t("start"), () => this.command("start"), { class: "main" }),
        found.my_seat !== null && found.status === "open" && doing(t("leave"), async () => { if (await this.command("leave")) go("#/"); })));
  }

  bar() {
    return h("div.bar", { role: "group", "aria-label": t("confirm"), onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") this.drop(); } },
      h("p", { "aria-live": "polite" }, h("strong", this.pendingText), h("small", t("final"))),
      h("div.line",
        button(t("cancel"), () => this.drop(), { disabled: this.isSending }),
        button(this.isSending ? either("Sending …", "Enviando …") : t("confirm"), () => this.send(), { class: "main", disabled: this.isSending || this.isStale })));
  }
}
