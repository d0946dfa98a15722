// A program of somebody who has generated functions: guests play one game of each title to the end.  node play.js URL
import { createClient, type Client } from "./posta/client/index.js";
import { getView, joinTable, listGames, openTable, playMove, welcomeGuest } from "./posta/sdk.gen.js";
import type { GameSummary, Problem } from "./posta/types.gen.js";

declare const process: { argv: string[] };
const baseUrl = process.argv[2];
const nobody = createClient({ baseUrl });

/** Return the data of an answer that is no problem. */
const told = <T>({ data, error }: { data?: T; error?: Problem }): T => {
  if (data === undefined) throw new Error(`The server refused: ${error?.code}: ${error?.detail}`);
  return data;
};

/** Return a client with a token of its own. */
const guest = async (): Promise<Client> => {
  const { token } = told(await welcomeGuest({ client: nobody, body: {} }));
  return createClient({ baseUrl, auth: token });
};

/** Play a game, every seat by a client of its own; return how it ended. */
const play = async (game: GameSummary): Promise<string> => {
  const players = await Promise.all(Array.from({ length: game.seats_min }, guest));
  const [host, ...others] = players;
  const table = told(await openTable({ client: host, body: { game: game.id } }));
  const path = { table_id: table.id };
  for (const client of others) told(await joinTable({ client, path, body: {} }));
  for (let moves = 0; ; ) {
    for (const client of players) {
      const view = told(await getView({ client, path }));
      if (view.status !== "playing") return `${game.name}: ${moves} moves, ${view.status}, ${view.outcome?.reason}`;
      if (!view.awaited.some((each) => each.seat === view.viewer)) continue;
      const move = view.legal_moves[(moves * 7) % view.legal_moves.length];
      told(await playMove({ client, path, body: { turn: view.turn, ...move } }));
      moves += 1;
    }
  }
};

for (const game of told(await listGames({ client: nobody })).items) console.log(await play(game));
