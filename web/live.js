/**
 * News as they happen: a stream of server-sent events, long-polls where none can be had.  Who follows is
 * called whenever there may be something new, and after each gap, and can ask whether the server has been
 * heard of lately: else what is known may be old.
 */

import { live } from "./api.js";

const SILENCE = 25_000; // the server gives a sign of life each 15 s
const FIRST = 8_000; // the first comes at once, unless a proxy holds it back
const POLLS = 3; // before a stream is tried again

/** @param {number} time */
export const pause = (time) => new Promise((done) => setTimeout(done, time));

export class Feed {
  /** @param {string} path "me", or that of a table @param {() => Promise<any>} hear */
  constructor(path, hear) {
    this.path = path;
    this.hear = hear;
    /** @type {string | number | null} the last position or cursor that is known here */
    this.last = null;
    this.heardAt = 0;
    this.beganAt = 0;
    this.polls = 0;
    this.isFlowing = false;
    this.call = new AbortController();
    this.wake = () => {};
  }

  /** By the clock on the wall: whoever has slept has heard nothing. */
  get isAlive() {
    return Date.now() - this.heardAt < SILENCE;
  }

  /** Follow for as long as it is wanted. @param {() => boolean} isWanted */
  async run(isWanted) {
    const over = new AbortController();
    const cut = () => {
      this.heardAt = 0;
      this.call.abort();
      this.wake();
    };
    const look = () => {
      const patience = this.isFlowing || this.polls > 0 ? SILENCE : FIRST;
      if (!isWanted() || Date.now() - Math.max(this.heardAt, this.beganAt) > patience) cut();
    };
    const ticking = setInterval(look, 1000);
    document.addEventListener("visibilitychange", look, { signal: over.signal });
    for (const each of ["online", "offline"]) window.addEventListener(each, cut, { signal: over.signal });
    let wait = 0;
    while (isWanted()) {
      const isPoll = this.polls > 0;
      Object.assign(this, { call: new AbortController(), beganAt: Date.now(), isFlowing: false });
      try {
        await (isPoll ? this.poll() : this.stream());
        this.polls = Math.max(0, this.polls - 1);
        wait = isPoll ? 0 : 1000; // its end is no trouble, but may come at once each time
      } catch {
        this.heardAt = 0;
        this.polls = isPoll || this.isFlowing ? 0 : POLLS;
        if (isWanted()) await this.hear();
        wait = Math.min(5000, 2 * wait + 200);
      }
      this.beganAt = Infinity;
      await Promise.race([pause(wait), new Promise((done) => { this.wake = () => done(0); })]);
    }
    clearInterval(ticking);
    over.abort();
  }

  async stream() {
    const { body } = await live(`${this.path}/stream`, this.last === null ? {} : { "Last-Event-ID": `${this.last}` }, this.call.signal);
    await this.hear(); // what has been missed; what is known is not old from here on
    const reader = /** @type {ReadableStream} */ (body).pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) return;
      this.isFlowing = true;
      this.heardAt = Date.now();
      const frames = (rest + value).split("\n\n");
      rest = frames.pop() ?? "";
      for (const each of frames) {
        this.last = /^id: (.+)$/m.exec(each)?.[1] ?? this.last;
        if (each.includes('"kind":"resync"')) this.last = null; // too much was missed to be told
      }
      if (frames.some((each) => each.match(/^event: /m))) await this.hear();
    }
  }

  async poll() {
    const after = this.last === null ? "" : `&after=${this.last}`;
    const page = await (await live(`${this.path}/events?wait=15${after}`, {}, this.call.signal)).json();
    this.last = page.cursor ?? page.last_position;
    await this.hear();
    this.heardAt = Date.now();
  }
}
