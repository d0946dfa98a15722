/** A table: what is seen, who is awaited and until when, moves, talk, and what happened. */

import { Refused, forget, get, getIfNew, me, newKey, post, put, setClock } from "../api.js";
import { asSomebody, attempt, doing, go, route, said, tell } from "../app.js";
import { againstBots, game, namesOf, word } from "../catalogue.js";
import { button, h, show } from "../dom.js";
import { offers } from "../games/generic.js";
import { drawingOf } from "../games/index.js";
import { Log } from "../log.js";
import { asks } from "./asks.js";
import { panel } from "./panel.js";
import { either, list, t, until, when } from "../words.js";
/** @import { Page } from "../app.js" */

/** @param {Page} page */
export async function table(page) {
  const id = page.path[1];
  const invite = page.query.get("invite");
  if (!me()) return door(page, id, invite);
  let found;
  try {
    found = await get(`tables/${id}`);
  } catch (error) {
    if (invite && error instanceof Refused && error.status === 404) return door(page, id, invite);
    throw error;
  }
  if (!page.isShown()) return undefined;
  const of = await game(found.game);
  return new Sitting(page, id, found, of).run();
}

/** Show somebody who is not in yet how to get in. @param {Page} page @param {string} id @param {string | null} invite */
function door({ main }, id, invite) {
  const enter = () => asSomebody(async () => {
    if (invite) await post(`tables/${id}/join`, { invite_code: invite });
    if (location.hash === `#/table/${id}`) route();
    else go(`#/table/${id}`);
  });
  show(main, h("section", { class: "narrow card centre" },
    h("h1", {}, invite ? either("You are invited to a game", "Te invitan a una partida") : t("tagline")),
    h("p", {}, doing(invite ? t("join") : either("Look on as a guest", "Mirar como visita"), enter, { class: "main" })),
    h("p", {}, h("a", { href: `#/sign-in?then=${encodeURIComponent(location.hash)}` }, t("sign_in")))));
}

/** One visit to a table. */
class Sitting {
  /** @param {Page} page @param {string} id @param {any} found @param {any} of */
  constructor(page, id, found, of) {
    Object.assign(this, { page, id, of });
    this.table = found;
    /** @type {any} */ this.of = of;
    /** @type {Page} */ this.page = page;
    this.id = id;
    /** @type {any} */ this.view = null;
    this.log = new Log(id);
    /** @type {any[]} */ this.messages = [];
    /** @type {any} */ this.pending = null;
    this.pendingText = "";
    this.isSending = false;
    this.isOffline = false;
    this.trouble = "";
    this.isStale = false;
    this.changedAt = Date.now();
    this.ui = {};
    this.tab = "story";
    this.unread = 0;
    this.read = 0;
    /** @type {Map<string, string>} */ this.keys = new Map();
    /** @type {() => void} */ this.wake = () => {};
    /** @type {Promise<void>} */ this.looking = Promise.resolve();
    for (const part of ["view", "messages"]) forget(`tables/${id}/${part}`);
  }

  async run() {
    const woken = () => this.wake();
    document.addEventListener("visibilitychange", woken);
    window.addEventListener("online", woken);
    const ticking = setInterval(() => this.tick(), 1000);
    while (this.page.isShown()) {
      await this.poll();
      await new Promise((done) => {
        this.wake = () => done(undefined);
        setTimeout(done, this.pause());
      });
      if (document.hidden) {
        await new Promise((done) => { this.wake = () => done(undefined); setTimeout(done, 60_000); });
        this.isStale = true; // the phone may have slept for hours
        if (this.page.isShown()) this.draw();
      }
    }
    clearInterval(ticking);
    document.removeEventListener("visibilitychange", woken);
    window.removeEventListener("online", woken);
  }

  /** How long to wait before asking again: little while things happen, more and more after. */
  pause() {
    if (this.table.status === "finished" || this.table.status === "closed") return 15_000;
    const quiet = Date.now() - this.changedAt;
    const bots = this.view?.awaited.some((each) => this.table.seats[each.seat]?.bot);
    if (bots || quiet < 20_000) return 1000;
    return quiet < 120_000 ? 3000 : 8000;
  }

  /** Look at the table anew, one look after another. */
  poll() {
    this.looking = this.looking.then(() => this.look());
    return this.looking;
  }

  async look() {
    try {
      const view = await getIfNew(`tables/${this.id}/view`);
      if (view || this.view === null) {
        this.changedAt = Date.now();
        const [found] = await Promise.all([get(`tables/${this.id}`), this.log.update()]);
        this.table = found;
      } else if (this.table.status === "finished" && !this.table.verification) this.table = await get(`tables/${this.id}`);
      if (view) {
        setClock(view.server_time);
        if (this.view && this.view.turn !== view.turn && this.pending) this.choose(null, "");
        this.view = view;
      }
      await this.listen();
      if (this.isOffline) tell(t("back"));
      this.isOffline = false;
      this.isStale = false;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.isOffline = true;
      this.trouble = said(error);
    }
    if (this.page.isShown()) this.draw();
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
      this.changedAt = Date.now();
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

  /** Send the chosen move, once: the same move of the same turn always has the same key. */
  async send() {
    if (this.isSending || !this.pending) return;
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
  }

  /** @param {string} what @param {any} [body] */
  async command(what, body = {}) {
    const answer = await attempt(() => post(`tables/${this.id}/${what}`, body));
    forget(`tables/${this.id}/view`);
    this.wake();
    return answer;
  }

  /** Keep the time shown true without drawing all anew. */
  tick() {
    const shown = this.page.main.querySelector("[data-due]");
    if (shown) shown.textContent = t("left", until(/** @type {string} */ (shown.getAttribute("data-due"))));
  }

  draw() {
    const { table: found, view } = this;
    if (!view) return;
    const names = namesOf(this.of, found, t("free"), t("gone"));
    const drawing = drawingOf(found.game);
    const may = !this.isOffline && !this.isStale && !this.isSending ? view.legal_moves : [];
    /** @type {import("../games/index.js").Scene} */
    const scene = {
      data: view.data, of: this.of, names, me: view.viewer, ui: this.ui, legal: may, pending: this.pending, log: this.log.entries,
      awaited: view.awaited.map((each) => each.seat),
      word: (code) => word(this.of, code),
      choose: (move, text, byKeyboard) => this.choose(move, text, byKeyboard),
      redraw: () => this.draw(),
    };
    const isDealt = Object.keys(view.data).length > 0;
    document.title = `${view.awaited.some((each) => each.seat === found.my_seat) ? "● " : ""}${found.title || this.of.name} – Posta`;
    const others = may.filter((each) => !drawing.kinds.includes(each.kind));
    const moves = others.length > 0 && h("div", { class: "card" }, h("h2", {}, t("moves")), offers(scene, others));
    show(
      this.page.main,
      h("div", { class: `table ${found.game}` },
        h("div", { class: "board" },
          h("div", { class: "title" }, h("h1", {}, found.title || this.of.name), this.clock()),
          this.isOffline && h("p", { class: "alert", role: "alert" }, this.trouble),
          this.banner(names),
          asks(this, names),
          drawing.kinds.length === 0 && moves, // the tree is long
          isDealt ? h("div", { class: this.isOffline || this.isStale ? "stale" : "" }, drawing.draw(scene)) : this.lobby(names),
          drawing.kinds.length > 0 && moves,
          this.pending && this.bar()),
        panel(this, names)),
    );
  }

  clock() {
    const { view, table: found } = this;
    if (found.status === "finished") return h("a", { class: "button", href: `#/table/${this.id}/replay` }, t("replay"));
    if (found.status !== "playing") return h("span", { class: "chip" }, t(found.status));
    if (!view.deadline_at) return h("span", { class: "chip" }, t("no_deadline"));
    const mine = view.awaited.some((each) => each.seat === found.my_seat);
    const due = view.clocks.find((each) => each.seat === found.my_seat)?.due_at ?? view.deadline_at;
    return h("span", { class: mine ? "chip hot" : "chip", "data-due": due, title: `${when(due)}. ${t("then_clock")}` }, t("left", until(due)));
  }

  /** Say what the table waits for, or how it ended. @param {string[]} names */
  banner(names) {
    const { view, table: found } = this;
    if (found.suspended) return h("p", { class: "alert" }, t("suspended"));
    if (view.outcome) return this.ending(names);
    if (found.status === "closed") return h("p", { class: "status" }, t("closed"));
    if (found.status === "open") {
      const taken = found.seats.filter((each) => each.player || each.bot).length;
      return h("p", { class: "status" }, t("to_start", taken, found.seats.length));
    }
    const pause = view.pauses.find((each) => each.seat === null || each.seat === found.my_seat);
    const awaited = view.awaited.map((each) => each.seat);
    const isMine = awaited.includes(found.my_seat);
    const bots = awaited.every((each) => found.seats[each]?.bot);
    const who = list(awaited.filter((each) => each !== found.my_seat).map((each) => names[each]));
    return [
      pause && h("p", { class: "alert" }, t("paused", when(pause.until))),
      h("p", { class: isMine ? "status mine" : "status", role: "status" },
        isMine ? t("your_turn") : awaited.length === 0 ? t("loading") : t(bots && awaited.length === 1 ? "bot_thinks" : "waits_for", who)),
    ];
  }

  /** @param {string[]} names */
  ending(names) {
    const { outcome } = this.view;
    const mine = this.table.my_seat;
    const won = mine !== null && outcome.winners.includes(mine);
    const who = list(outcome.winners.map((each) => names[each]));
    const result = won ? t(outcome.winners.length > 1 ? "you_shared" : "you_won")
      : outcome.winners.length === 0 ? t("nobody_won") : t(outcome.winners.length === 1 ? "has_won" : "have_won", who);
    const people = this.table.seats.filter((each) => each.player).length;
    return h("div", { class: won ? "ending won" : "ending", role: "status" },
      h("p", {}, h("strong", {}, won ? "★ " : "", result), " ", h("span", {}, `${this.of.names.reasons?.[outcome.reason] ?? outcome.reason}.`)),
      h("div", { class: "buttons" },
        h("a", { class: "button main", href: `#/table/${this.id}/replay` }, t("replay")),
        mine !== null && doing(t("rematch"), () => this.again(people))));
  }

  /** @param {number} people */
  async again(people) {
    if (people === 1) {
      const opened = await this.command("rematch");
      if (opened?.table_id) return go(`#/table/${opened.table_id}`);
      return attempt(async () => go(`#/table/${(await againstBots(this.of)).id}`));
    }
    const agreed = await this.command("rematch");
    if (agreed?.table_id) return go(`#/table/${agreed.table_id}`);
    if (agreed) tell(t("rematch_agreed"));
    return undefined;
  }

  /** @param {string[]} names */
  lobby(names) {
    const { table: found } = this;
    const link = found.invite_code && `${location.origin}/#/table/${this.id}?invite=${found.invite_code}`;
    return h("div", { class: "card" },
      h("ol", { class: "seats" }, found.seats.map((each) =>
        h("li", { class: each.player || each.bot ? "taken" : "" }, names[each.seat], each.seat === found.my_seat && ` (${t("you")})`))),
      h("div", { class: "buttons" },
        found.my_seat === null && found.status === "open" && doing(t("join"), () => this.command("join"), { class: "main" }),
        found.my_seat !== null && found.status === "open" && found.starts === "by_host" && doing(t("start"), () => this.command("start"), { class: "main" }),
        found.my_seat !== null && found.status === "open" && doing(t("leave"), async () => { if (await this.command("leave")) go("#/"); })),
      link && found.status === "open" && h("div", { class: "form" }, h("label", {}, t("invite"),
        h("span", { class: "line" }, h("input", { readonly: true, value: link }),
          button(t("copy"), async () => { await attempt(() => navigator.clipboard.writeText(link)); tell(t("copied")); })))));
  }

  bar() {
    return h("div", { class: "bar", role: "group", "aria-label": t("confirm"), onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") this.choose(null, ""); } },
      h("p", { "aria-live": "polite" }, h("strong", {}, this.pendingText), h("small", {}, t("final"))),
      h("div", { class: "line" },
        button(t("cancel"), () => this.choose(null, ""), { disabled: this.isSending }),
        button(this.isSending ? t("sending") : t("confirm"), () => this.send(), { class: "main", disabled: this.isSending || this.isOffline || this.isStale })));
  }
}
