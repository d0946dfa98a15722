/** Judges many files in one process: `node many.mjs KEYS|- FILE...` prints a line of JSON for each. */
import { readFile } from "node:fs/promises";
import { judge, NotATranscript, readKeys } from "../../verify/verify.mjs";

const [listed, ...paths] = process.argv.slice(2);
const keys = listed === "-" ? null : readKeys(await readFile(listed));
for (const path of paths) {
  let found;
  try {
    found = await judge(await readFile(path), { keys });
  } catch (error) {
    if (!(error instanceof NotATranscript)) throw error;
    found = { refused: error.message };
  }
  process.stdout.write(`${JSON.stringify(found)}\n`);
}
