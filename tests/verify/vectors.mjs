/** Answers every case of vectors.json by verify.mjs: prints an object, section by section, of what came out. */
import { readFile } from "node:fs/promises";
import * as verifier from "../../verify/verify.mjs";

const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (each) => parseInt(each, 16));
const hex = (data) => Array.from(data, (each) => each.toString(16).padStart(2, "0")).join("");
const orNull = (work) => {
  try {
    return work();
  } catch (error) {
    if (error instanceof verifier.NotCanonical || error instanceof verifier.NotATranscript) return null;
    throw error;
  }
};

const answers = {
  spelling: ({ json }) => orNull(() => verifier.canonical(verifier.parseJson(json))),
  canonical: (given) => orNull(() => [verifier.parseCanonical(bytes(given.data))]) !== null,
  event_hash: ({ header }) => verifier.eventHash(verifier.canonical(header)),
  commitment: ({ table, seq, slot, salt, payload }) =>
    verifier.commitment(bytes(salt), bytes(table), seq, slot, verifier.canonical(payload)),
  seed_commit: ({ table, epoch, seed }) => verifier.seedCommit(bytes(table), epoch, bytes(seed)),
  entropy_commit: ({ table, epoch, seat, entropy }) =>
    verifier.entropyCommit(bytes(table), epoch, seat, bytes(entropy)),
  stream_key: async ({ table, epoch, seed, entropies }) => {
    const given = entropies.map((each) => (each === null ? null : bytes(each)));
    return hex(await verifier.streamKey(bytes(table), epoch, bytes(seed), given));
  },
  draw_key: async ({ key, n, label }) => hex(await verifier.drawKey(bytes(key), n, label)),
  below: ({ key, n, label, bound }) => verifier.below(bytes(key), n, label, bound),
  die: async ({ key, n, label }) => (await verifier.below(bytes(key), n, label, 6)) + 1,
  shuffle: ({ key, n, label, count }) => verifier.shuffle(bytes(key), n, label, count),
  receipt: (given) => verifier.isSigned(given.receipt, bytes(given.public)),
};

const vectors = JSON.parse(await readFile(process.argv[2], "utf-8"));
const found = {};
for (const [section, cases] of Object.entries(vectors)) {
  found[section] = [];
  for (const each of cases) found[section].push(await answers[section](each.in));
}
process.stdout.write(JSON.stringify(found));
