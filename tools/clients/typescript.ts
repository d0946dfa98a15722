// A program of somebody who has generated types: guests play one game of each title to the end.  node play.js URL
import createClient from "openapi-fetch";
import type { components, paths } from "./posta.js";

type Schemas = components["schemas"];
type Client = ReturnType<typeof createClient<paths>>;

declare const process: { argv: string[] };
const baseUrl = process.argv[2];

/** Return the data of an answer that is no problem. */
const told = <T>({ data, error }: { data?: T; error?: Schemas["Problem"] }): T => {
  if (data === undefined) throw new Error(`The server refused: ${error?.code}: ${error?.detail}`);
  return data;
};

/** Return a client with a token of its own. */
const guest = async (): Promise<Client> => {
  const { token } = told(await createClient<paths>({ baseUrl }).POST("/v1/guests", { body: {} }));
  return createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
};

/** Play a game, every seat by a client of its own; return how it ended. */
const play = async (game: Schemas["GameSummary"]): Promise<string> => {
  const players = await Promise.all(Array.from({ length: game.seats_min }, guest));
  const [host, ...others] = players;
  const table = told(await host.POST("/v1/tables", { body: { game: game.id } }));
  const at = { params: { path: { table_id: table.id } } };
  for (const each of others) told(await each.POST("/v1/tables/{table_id}/join", { ...at, body: {} }));
  for (let moves = 0; ; ) {
    for (const player of players) {
      const view = told(await player.GET("/v1/tables/{table_id}/view", at));
      if (view.status !== "playing") return `${game.name}: ${moves} moves, ${view.status}, ${view.outcome?.reason}`;
      if (!view.awaited.some((each) => each.seat === view.viewer)) continue;
      const move = view.legal_moves[(moves * 7) % view.legal_moves.length];
      told(await player.POST("/v1/tables/{table_id}/moves", { ...at, body: { turn: view.turn, ...move } }));
      moves += 1;
    }
  }
};

for (const game of told(await createClient<paths>({ baseUrl }).GET("/v1/games")).items) console.log(await play(game));
