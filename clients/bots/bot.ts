// SPDX-License-Identifier: MIT
/**
 * A bot for any game, on fetch alone.  Make it yours: change `choose`.
 *
 *     POSTA_TOKEN=… node bot.ts http://127.0.0.1:8000            # plays wherever its account has a seat, for ever
 *     node bot.ts http://127.0.0.1:8000 open reafan searcher     # a table against bots of the game, to its end
 *     node bot.ts http://127.0.0.1:8000 join TABLE_ID            # a seat at a table of somebody else, to its end
 *
 * POSTA_TOKEN names its account; without it, it is a guest.  Node from 22.18 on runs it as it is.
 */

declare const process: { argv: string[]; env: Record<string, string | undefined>; exitCode: number };

type Move = { kind: string; params: Record<string, unknown> };
type View = {
  table_id: string; status: string; turn: number; viewer: number | null; outcome: unknown;
  awaited: { seat: number; kinds: string[] }[]; legal_moves: Move[]; data: Record<string, unknown>;
};
type Turn = { table_id: string; kinds: string[]; view: View | null };
type Turns = { items: Turn[]; etag: string };

const TOO_LATE = ["turn_passed", "already_moved", "not_your_turn", "table_not_playing"];
const sleep = (seconds: number) => new Promise((done) => setTimeout(done, seconds * 1000));

/** Returns one of `moves`.  `view.data` is what the bot sees, by the game's view schema. */
function choose(view: View, moves: Move[]): Move {
  return moves[Math.floor(Math.random() * moves.length)]!;
}

/** A problem document: `code` is for programs, its text for people. */
class Refused extends Error {
  code: string;
  constructor(problem: { code: string; detail: string }) { super(problem.detail); this.code = problem.code; }
}

class Server {
  url: string; liveUrl = ""; token = "";
  constructor(url: string) { this.url = url.replace(/\/+$/, ""); }

  async signIn(): Promise<void> {
    this.liveUrl = (await this.call<{ live_url: string }>("GET", "/v1/status"))!.live_url;
    this.token = process.env.POSTA_TOKEN ?? (await this.call<{ token: string }>("POST", "/v1/guests", {}))!.token;
  }

  /** Sends a request until it is answered, which the key makes safe; null for 304. */
  async call<T>(method: string, path: string, body?: object, etag = ""): Promise<T | null> {
    const headers: Record<string, string> = { "Idempotency-Key": crypto.randomUUID(), "Content-Type": "application/json" };
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    if (etag) headers["If-None-Match"] = etag;
    const where = path.startsWith("/v1/live/") ? this.liveUrl : this.url;
    for (let failures = 0; ; ) {
      let answer: Response;
      try {
        answer = await fetch(where + path, { method, headers, body: body && JSON.stringify(body) });
      } catch (error) {
        if (++failures > 30) throw new Error(`${where} does not answer.`, { cause: error });
        await sleep(1);
        continue;
      }
      if (answer.status === 304) return null;
      if (answer.ok) return (await answer.json()) as T;
      if (answer.status !== 429 && answer.status !== 503) throw new Refused(await answer.json().catch(() => ({ code: "", detail: `${where} is no server of Posta.` })));
      await sleep(Number(answer.headers.get("Retry-After") ?? 1));
    }
  }
}

/** Plays wherever the table waits for the bot; ends with the game of `table`, else never. */
async function play(server: Server, table?: string): Promise<View | undefined> {
  for (let etag = ""; ; ) {
    const turns = await server.call<Turns>("GET", `/v1/live/me/turns?expand=view&wait=${table ? 2 : 25}`, undefined, etag);
    etag = turns?.etag ?? etag;
    for (const { table_id, kinds, view } of turns?.items ?? []) {
      const moves = view?.legal_moves.filter((each) => kinds.includes(each.kind)) ?? [];
      if (!view || !moves.length) continue;
      await server.call("POST", `/v1/tables/${table_id}/moves`, { turn: view.turn, ...choose(view, moves) }).catch((error) => {
        if (!TOO_LATE.includes(error.code)) throw error;
      });
    }
    const view = table && (await server.call<View>("GET", `/v1/tables/${table}/view`));
    if (view && !["open", "playing"].includes(view.status)) return view;
  }
}

const [url, verb, name, ...bots] = process.argv.slice(2);
try {
  if (!url) throw new Error("Usage: bot.ts URL [open GAME [BOT ...] | join TABLE_ID]");
  const server = new Server(url);
  await server.signIn();
  const opened = verb === "open" ? (await server.call<{ id: string }>("POST", "/v1/tables", { game: name, bots }))!.id : name;
  if (verb === "join") await server.call("POST", `/v1/tables/${name}/join`, {});
  const end = await play(server, opened);
  console.log(JSON.stringify({ status: end?.status, outcome: end?.outcome }));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
