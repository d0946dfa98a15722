/**
 * The verifier of transcripts (ttx v1) in one file of JavaScript, with Web Crypto and nothing else.
 *
 *     node verify/verify.mjs FILE [--json] [--keys FILE]       Node 20 or later
 *     import { judge } from "./verify.mjs"                     a current browser, or Node
 *
 * It judges receipts, integrity and fairness as `posta-verify` does, in the same words; of replay,
 * for which the rules of the games are needed, it says "not provable here".  Exit codes: 0, receipts,
 * integrity and fairness are proved, or where the view holds less than everything, nothing is wrong;
 * 1, something failed, or a full view leaves one of the three unproved; 2, there is no such transcript.
 * Sources: ttx v1 (docs/transcript.md); the annexes of the games (engines/<game>/annex-v1.json) and of tables (tables/).
 */

const MAX_DEPTH = 16;
const MAX_SIZE = 64 * 1024;
const MAX_NESTING = 64; // containers within one another in a file, itself the first
const MAX_DIGITS = 4300;
const LAST_TIME = 253402300799999; // the last millisecond of the year 9999
const ZERO_HASH = "0".repeat(64);
const FORMAT = "ttx/transcript/v1";
const NO_KID = "0".repeat(16); // what a genesis names as its key where its server has never had one
const HERE = "the rules of the games are not known to this verifier";

/** Bytes that are no transcript file; the message says why, in a sentence. */
export class NotATranscript extends Error {}

/** A value, or bytes, outside the JSON profile. */
export class NotCanonical extends Error {}

/** Nothing more can be said with what is at hand; the message says why. */
class Undecided extends Error {}

// --- JSON ---------------------------------------------------------------------------------------

/** A number with a fraction or an exponent: the profile has none, and as a double 1.0 would pass for 1. */
class Fraction {
  constructor(text) {
    this.text = text;
  }
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const SPACE = /[ \t\n\r]*/y;
const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/**
 * Return the value of a JSON text: objects without a prototype, integers as numbers or, beyond
 * 2^53 - 1, as BigInt, other numbers as Fraction.  Throws NotATranscript, also where a name stands twice.
 */
export function parseJson(text) {
  let at = 0;
  const fail = (why) => {
    throw new NotATranscript(`it is not JSON: ${why} at character ${at}`);
  };
  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  const take = (word, value) => {
    if (!text.startsWith(word, at)) fail("no value");
    at += word.length;
    return value;
  };

  function value(depth) {
    match(SPACE);
    const first = text[at];
    if (depth === MAX_NESTING && (first === "{" || first === "[")) throw new NotATranscript("it is nested too deeply");
    let found;
    switch (first) {
      case "{": found = object(depth); break;
      case "[": found = array(depth); break;
      case '"': found = string(); break;
      case "t": found = take("true", true); break;
      case "f": found = take("false", false); break;
      case "n": found = take("null", null); break;
      default: found = number();
    }
    match(SPACE);
    return found;
  }

  function object(depth) {
    const found = Object.create(null);
    at += 1;
    match(SPACE);
    if (text[at] === "}") return (at += 1), found;
    for (;;) {
      match(SPACE);
      if (text[at] !== '"') fail("a name is missing");
      const name = string();
      match(SPACE);
      if (text[at] !== ":") fail("a colon is missing");
      at += 1;
      if (name in found) throw new NotATranscript(`the name '${name}' stands twice in one object`);
      found[name] = value(depth + 1);
      if (text[at] === "}") return (at += 1), found;
      if (text[at] !== ",") fail("a comma is missing");
      at += 1;
    }
  }

  function array(depth) {
    const found = [];
    at += 1;
    match(SPACE);
    if (text[at] === "]") return (at += 1), found;
    for (;;) {
      found.push(value(depth + 1));
      if (text[at] === "]") return (at += 1), found;
      if (text[at] !== ",") fail("a comma is missing");
      at += 1;
    }
  }

  function string() {
    let found = "";
    at += 1;
    for (;;) {
      found += match(PLAIN)[0];
      const next = text[at];
      if (next === '"') return (at += 1), found;
      if (next !== "\\") fail("a text does not end");
      const escape = text[at + 1];
      if (escape === "u") {
        const digits = text.slice(at + 2, at + 6);
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) fail("no such escape");
        found += String.fromCharCode(parseInt(digits, 16));
        at += 6;
      } else {
        if (!Object.hasOwn(ESCAPES, escape ?? "")) fail("no such escape");
        found += ESCAPES[escape];
        at += 2;
      }
    }
  }

  function number() {
    const found = match(NUMBER);
    if (found === null) fail("no value");
    const [written, fraction, exponent] = found;
    if (fraction !== undefined || exponent !== undefined) return new Fraction(written);
    if (written.length > MAX_DIGITS) fail("a number of too many digits");
    const big = BigInt(written);
    const small = Number(big);
    return Number.isSafeInteger(small) ? small : big;
  }

  const found = value(0);
  if (at < text.length) fail("more than one value");
  return found;
}

/** Return the canonical text of a value.  Throws NotCanonical for what the profile leaves out. */
export function canonical(value) {
  const text = spelt(value, 0);
  const size = encode(text).length;
  if (size > MAX_SIZE) throw new NotCanonical(`${size} bytes, at most ${MAX_SIZE}`);
  return text;
}

/** Return the value of canonical bytes.  Throws NotCanonical if they are not the only spelling of it. */
export function parseCanonical(bytes) {
  let value;
  try {
    value = parseJson(decode(bytes));
  } catch (error) {
    if (error instanceof NotATranscript) throw new NotCanonical(error.message);
    throw error;
  }
  if (hex(encode(canonical(value))) !== hex(bytes)) throw new NotCanonical("not the canonical spelling");
  return value;
}

function spelt(value, depth) {
  if (value === null || value === true || value === false) return String(value);
  if (typeof value === "number") return String(value); // a safe integer: others are parsed as something else
  if (typeof value === "string") return speltText(value);
  if (typeof value === "bigint") throw new NotCanonical("an integer beyond 2^53 - 1");
  if (value instanceof Fraction) throw new NotCanonical("a fraction is not in the profile");
  if (depth === MAX_DEPTH) throw new NotCanonical(`deeper than ${MAX_DEPTH}`);
  if (Array.isArray(value)) return `[${value.map((each) => spelt(each, depth + 1)).join(",")}]`;
  const names = Object.keys(value).sort();
  const wrong = names.find((name) => !/^[a-z0-9_]+$/.test(name));
  if (wrong !== undefined) {
    throw new NotCanonical(`'${wrong}' is no key of lower-case letters, digits, underscores`);
  }
  return `{${names.map((name) => `"${name}":${spelt(value[name], depth + 1)}`).join(",")}}`;
}

function speltText(text) {
  if (text.includes("\u0000")) throw new NotCanonical("U+0000");
  if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text)) {
    throw new NotCanonical("a lone surrogate");
  }
  return JSON.stringify(text);
}

// --- Bytes and hashes ---------------------------------------------------------------------------

const encode = (text) => new TextEncoder().encode(text);

function decode(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NotATranscript("it is not text in UTF-8");
  }
}

const hex = (bytes) => Array.from(bytes, (each) => each.toString(16).padStart(2, "0")).join("");

/** Return bytes written in lower-case hex; none for any other text. */
function unhex(text) {
  if (typeof text !== "string" || !/^(?:[0-9a-f]{2})*$/.test(text)) return new Uint8Array();
  return Uint8Array.from(text.match(/../g) ?? [], (each) => parseInt(each, 16));
}

function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, each) => sum + each.length, 0));
  let at = 0;
  for (const each of parts) {
    whole.set(each, at);
    at += each.length;
  }
  return whole;
}

function unsigned(value, length) {
  const bytes = new Uint8Array(length);
  let rest = BigInt(value);
  for (let index = length - 1; index >= 0; index -= 1) {
    bytes[index] = Number(rest & 255n);
    rest >>= 8n;
  }
  return bytes;
}

const tag = (name) => encode(`ttx/${name}/v1\0`);

async function sha256(...parts) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts)));
}

async function mac(key, ...parts) {
  const usage = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, usage, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, joined(...parts)));
}

/** Return the hash of an event, from the text of its header. */
export async function eventHash(header) {
  return hex(await sha256(tag("event"), encode(header)));
}

/** Return the commitment of a slot to the canonical text of its payload. */
export async function commitment(salt, tid, seq, slot, payload) {
  const place = joined(tag("slot"), tid, unsigned(seq, 8), unsigned(slot, 2));
  return hex(await mac(salt, place, encode(payload)));
}

/** Return what the server publishes of its seed before anybody contributes. */
export async function seedCommit(tid, epoch, seed) {
  return hex(await sha256(tag("seed"), tid, unsigned(epoch, 4), seed));
}

/** Return what a seat publishes of its entropy when it joins. */
export async function entropyCommit(tid, epoch, seat, entropy) {
  return hex(await sha256(tag("entropy"), tid, unsigned(epoch, 4), unsigned(seat, 2), entropy));
}

/** Return K, the key of an epoch's draws; `entropies` has one entry a seat, null where it is missing. */
export async function streamKey(tid, epoch, seed, entropies) {
  const given = entropies.map((each, seat) =>
    joined(unsigned(seat, 2), Uint8Array.of(each === null ? 0 : 1), each ?? new Uint8Array(32)),
  );
  const mix = joined(tag("mix"), tid, unsigned(epoch, 4), unsigned(entropies.length, 2), ...given);
  return mac(await sha256(mix), seed);
}

/** Return the short name of a public key. */
export async function keyId(publicKey) {
  return hex((await sha256(publicKey)).slice(0, 8));
}

/** Return whether a public key signed a receipt. */
export async function isSigned(receipt, publicKey) {
  const { sig, ...signed } = receipt;
  const signature = unhex(sig);
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  if (signed.kid !== (await keyId(publicKey))) return false;
  try {
    const message = joined(tag("head"), encode(canonical(signed)));
    const key = await crypto.subtle.importKey("raw", publicKey, { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify({ name: "Ed25519" }, key, signature, message);
  } catch (error) {
    if (error instanceof NotCanonical || error.name === "DataError") return false;
    throw error;
  }
}

// --- Draws --------------------------------------------------------------------------------------

/** Return D, the key of one draw. */
export async function drawKey(key, n, label) {
  return mac(key, tag("draw"), unsigned(n, 4), encode(label));
}

/** The 64-bit words of one draw, without end. */
class Words {
  constructor(key) {
    this.key = key;
    this.block = 0;
    this.words = [];
  }

  async next() {
    if (this.words.length === 0) {
      const view = new DataView((await mac(this.key, unsigned(this.block, 4))).buffer);
      this.words = [0, 8, 16, 24].map((at) => view.getBigUint64(at));
      this.block += 1;
    }
    return this.words.shift();
  }

  async below(bound) {
    const modulus = BigInt(bound);
    const limit = 2n ** 64n - (2n ** 64n % modulus);
    for (;;) {
      const word = await this.next();
      if (word < limit) return Number(word % modulus);
    }
  }
}

/** Return the number that draw n gives, from 0 to bound - 1. */
export async function below(key, n, label, bound) {
  return new Words(await drawKey(key, n, label)).below(bound);
}

/** Return the numbers 0 to count - 1 in the order that draw n gives. */
export async function shuffle(key, n, label, count) {
  const words = new Words(await drawKey(key, n, label));
  const order = Array.from({ length: count }, (_, index) => index);
  for (let i = count - 1; i > 0; i -= 1) {
    const j = await words.below(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

// --- The form of a file -------------------------------------------------------------------------

const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Fraction);
const isInteger = (value) => typeof value === "number" || typeof value === "bigint";
const isText = (value) => typeof value === "string";
const isNatural = (value) => isInteger(value) && value >= 0;
const isOf = (pattern) => (value) => isText(value) && pattern.test(value);
const isListOf = (isItem) => (value) => Array.isArray(value) && value.every(isItem);
const isTuple = (...areItems) => (value) =>
  Array.isArray(value) && value.length === areItems.length && areItems.every((is, at) => is(value[at]));
const isLike = (form) => (value) =>
  isObject(value) && hasFields(value, form) && Object.entries(form).every(([name, is]) => is(value[name]));
const hasFields = (value, form) =>
  Object.keys(value).length === Object.keys(form).length && Object.keys(form).every((name) => name in value);

const HASH = /^[0-9a-f]{64}$/;
const TID = /^[0-9a-f]{32}$/;
const UUID_4 = /^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/;
const KEY = { kid: isText, public: isText, from: isInteger, until: (value) => value === null || isInteger(value) };
const FILE = {
  format: (value) => value === FORMAT,
  view: isOf(/^(public|full|seat:(0|[1-9][0-9]*))$/),
  events: (value) => isListOf(isObject)(value) && value.length > 0,
  openings: isListOf(isLike({ seq: isInteger, slot: isInteger, salt: isText, payload: () => true })),
  receipts: isListOf(isObject),
  keys: isListOf(isLike(KEY)),
  engine: (value) =>
    value === null || isLike({ game: isText, rules_version: isInteger, digest: isText })(value),
};
const RECEIPT = { v: isInteger, table: isText, seq: isInteger, head: isText, at: isInteger, kid: isText, sig: isText };
const HEADER = {
  v: (value) => value === 1,
  table: isOf(TID),
  seq: (value) => isNatural(value) && value >= 1,
  prev: isOf(HASH),
  type: isOf(/^[a-z0-9_]+\.[a-z0-9_]+$/),
  schema: (value) => isNatural(value) && value >= 1,
  actor: isOf(/^(seat:(0|[1-9][0-9]*)|table|staff)$/),
  at: isNatural,
  public: isObject,
  slots: isListOf(isLike({ to: isOf(/^(seat:(0|[1-9][0-9]*)|server)$/), c: isOf(HASH) })),
  assigns: isListOf(isTuple(isNatural, isNatural, isNatural)),
  opens: isListOf(isTuple(isNatural, isNatural)),
  draws: isListOf(isTuple(isNatural, isOf(/^[\x00-\x7f]*$/))),
};

function readFile(bytes) {
  const file = parseJson(decode(bytes));
  if (!isObject(file)) throw new NotATranscript(`its form is not that of ${FORMAT}`);
  if (!hasFields(file, FILE)) throw new NotATranscript(`its form is not that of ${FORMAT}: its parts are others`);
  for (const [name, is] of Object.entries(FILE)) {
    if (!is(file[name])) throw new NotATranscript(`its form is not that of ${FORMAT}: ${name} is malformed`);
  }
  checkKeys(file.keys);
  return file;
}

function checkKeys(keys) {
  const [double] = doubles(keys.map((each) => each.kid));
  if (double !== undefined) throw new NotATranscript(`key ${double} is listed twice`);
}

/** Return the keys that a server lists (the answer of /v1/keys).  Throws NotATranscript. */
export function readKeys(bytes) {
  const told = parseJson(decode(bytes));
  if (!isLike({ items: isListOf(isLike(KEY)) })(told)) {
    throw new NotATranscript("it is no list of keys as /v1/keys answers");
  }
  checkKeys(told.items);
  return told.items;
}

function doubles(values) {
  const seen = new Set();
  return values.filter((each) => seen.has(each) || !seen.add(each));
}

/** Return how a value of a file is told, whatever it is. */
const said = (value) => (typeof value === "object" ? canonicalOrNull(value) : String(value));
const place = (seq, slot) => `${seq}/${slot}`;
const finding = (position, what) => ({ position: Number(position), what });

// --- The verdicts -------------------------------------------------------------------------------

/**
 * Return the verdicts on the bytes of a file, as `posta-verify --json` prints them.
 *
 * `keys` are those that the server lists; without them those of the file are taken, which tell who
 * signed, and not that it was the server.  Throws NotATranscript.
 */
export async function judge(bytes, { keys = null } = {}) {
  const file = readFile(bytes);
  const log = await readLog(file);
  const integrity = [...checkChain(log), ...(await checkOpenings(log)), ...checkHoldings(log)];
  integrity.push(...checkTallies(log));
  integrity.push(...checkId(log.table), ...checkDoubles(file), ...checkSalts(file), ...checkEngine(file));
  const { wrong, signed, kids } = await checkReceipts(log, keys ?? file.keys);
  const chances = await judgeFairness(log);
  const epochs = chances.map((each) => verdict(each.findings, each.doubt));
  const count = file.events.length;
  let doubt = null;
  if (signed < count) doubt = signed ? `the server signed up to event ${signed} of ${count}` : "nothing is signed";
  const verdicts = {
    receipts: verdict(wrong, doubt),
    integrity: verdict(integrity, null),
    fairness: verdict(
      epochs.flatMap((each) => each.findings),
      epochs.find((each) => each.doubt !== null)?.doubt ?? null,
    ),
    replay: verdict([], HERE),
  };
  const proved = Object.values(verdicts).every((each) => each.status === "proved");
  return {
    table: log.table,
    view: file.view,
    events: count,
    signed_up_to: signed,
    keys: kids,
    verdicts,
    fairness_of_epochs: epochs,
    seed_policy: policyOf(log),
    entropy_of_epochs: chances.map(({ given }) => ({
      present: seatsOf(given.values, (each) => each !== null),
      missing: seatsOf(given.values, (each) => each === null),
      withheld: given.withheld,
    })),
    is_proved: proved,
    is_good: isGood(file.view, verdicts),
    summary: summary(log, verdicts),
  };
}

function verdict(findings, doubt) {
  const sorted = [...findings].sort((one, other) => one.position - other.position);
  const status = sorted.length > 0 ? "failed" : doubt === null ? "proved" : "not_provable";
  return { status, doubt, findings: sorted };
}

function isGood(view, { receipts, integrity, fairness }) {
  const all = [receipts, integrity, fairness];
  return all.every((each) => each.status === "proved" || (view !== "full" && each.status !== "failed"));
}

function summary(log, verdicts) {
  const about = `table ${log.table}, ${log.texts.length} events, view ${log.file.view}`;
  const named = (status) =>
    Object.entries(verdicts).filter(([, each]) => each.status === status).map(([name]) => name).join(" and ");
  const failed = named("failed");
  if (failed) return `not proved: ${failed} FAILED; ${about}`;
  return `not proved: ${named("not_provable")}, nothing failed; ${about}`;
}

/**
 * Return what every check reads: the text of each header, its hash, those that are well-formed
 * (null for the others), all slots and openings by place.
 */
async function readLog(file) {
  const texts = file.events.map(canonicalOrNull);
  const hashes = await Promise.all(texts.map((text) => (text === null ? null : eventHash(text))));
  const headers = file.events.map((event, at) => (texts[at] !== null && isLike(HEADER)(event) ? event : null));
  const first = file.events[0].table;
  const table = isOf(TID)(first) ? first : "0".repeat(32);
  const slots = new Map();
  headers.forEach((header, at) => {
    header?.slots.forEach((slot, number) => slots.set(place(at + 1, number), slot));
  });
  const openings = new Map(file.openings.map((each) => [place(each.seq, each.slot), each]));
  const broken = headers.indexOf(null);
  const readable = broken < 0 ? headers : headers.slice(0, broken);
  return { file, texts, hashes, headers, readable, table, tid: unhex(table), slots, openings };
}

function canonicalOrNull(value) {
  try {
    return canonical(value);
  } catch (error) {
    if (error instanceof NotCanonical) return null;
    throw error;
  }
}

// --- Integrity ----------------------------------------------------------------------------------

function checkChain(log) {
  const found = [];
  const slots = new Set();
  let at = 0;
  log.headers.forEach((header, index) => {
    const position = index + 1;
    const blame = (what) => found.push(finding(position, what));
    if (header === null) {
      blame(whyNoHeader(log.file.events[index], log.texts[index]));
      return;
    }
    header.slots.forEach((_, number) => slots.add(place(position, number)));
    if (header.table !== log.table) blame(`it belongs to table ${header.table}`);
    if (header.seq !== position) blame(`seq is ${header.seq}`);
    if (header.prev !== (index === 0 ? ZERO_HASH : log.hashes[index - 1])) {
      blame("prev is not the hash of the event before");
    }
    if (header.at < at) blame("at is earlier than before");
    if (header.at > LAST_TIME) blame("at is behind the year 9999");
    at = header.at > at ? header.at : at;
    for (const [seq, slot] of [...header.opens, ...header.assigns]) {
      if (!slots.has(place(seq, slot))) blame(`slot ${slot} of event ${seq} does not exist`);
    }
  });
  return found;
}

function whyNoHeader(event, text) {
  if (text === null) return "the header is not canonical";
  if (!hasFields(event, HEADER)) return "the header has not the fields of ttx v1";
  const wrong = Object.entries(HEADER).find(([name, is]) => !is(event[name]));
  return `${wrong[0]} is malformed`;
}

async function checkOpenings(log) {
  const found = [];
  for (const [where, opening] of log.openings) {
    const slot = log.slots.get(where);
    const what =
      slot === undefined
        ? `an opening for slot ${opening.slot}, which does not exist`
        : await whyNotOpen(log, slot, opening);
    if (what !== null) found.push(finding(opening.seq, what));
  }
  if (log.file.view === "full") {
    for (const where of log.slots.keys()) {
      const [seq, slot] = where.split("/");
      if (!log.openings.has(where)) found.push(finding(seq, `slot ${slot}: its opening is missing`));
    }
  }
  return found;
}

async function whyNotOpen(log, slot, { seq, slot: number, salt: told, payload }) {
  const text = canonicalOrNull(payload);
  if (text === null) return `slot ${number}: the opening is malformed`;
  const salt = unhex(told);
  if (salt.length !== 32) return `slot ${number}: the opening is malformed: ${salt.length} bytes, 32 wanted`;
  const opens = (await commitment(salt, log.tid, seq, number, text)) === slot.c;
  return opens ? null : `slot ${number}: the opening does not fit the commitment`;
}

/** Return the openings that a view holds before it may: an epoch's end opens all of it. */
function checkHoldings(log) {
  const view = log.file.view;
  if (view === "full") return [];
  const known = new Set(placesOfEpochsOver(log.readable));
  for (const header of log.readable) {
    header.slots.forEach((slot, number) => slot.to === view && known.add(place(header.seq, number)));
    for (const [seq, slot, seat] of header.assigns) if (`seat:${seat}` === view) known.add(place(seq, slot));
    for (const [seq, slot] of header.opens) known.add(place(seq, slot));
  }
  return [...log.openings]
    .filter(([where]) => !known.has(where))
    .map(([, { seq, slot }]) => finding(seq, `slot ${slot}: ${view} may not hold its opening yet`));
}

function placesOfEpochsOver(headers) {
  const over = headers.filter((each) => each.type === "table.seed_revealed").map((each) => each.public.epoch);
  let epoch = 0;
  return headers.flatMap((header) => {
    epoch += header.type === "table.epoch_opened" ? 1 : 0;
    return over.includes(epoch) ? header.slots.map((_, number) => place(header.seq, number)) : [];
  });
}

/** What annexes call counts_of, by game: the counts of hidden items that seats are given with them. */
export const TALLIES = {
  cthulhu: {
    "cthulhu.cards_laid": {
      items: "cards",
      counts: "counts",
      by: "kind",
      names: { futile: "futile", elder_signs: "elder_sign", cthulhu: "cthulhu" },
    },
  },
};

/** Return the events whose open counts and open items contradict each other. */
function checkTallies(log) {
  const { game, rules_version: version } = log.readable.find((each) => each.type === "table.started")?.public ?? {};
  const tallies = isText(game) && Object.hasOwn(TALLIES, game) && version === 1 ? TALLIES[game] : {};
  return log.readable.flatMap((header, index) => {
    if (!Object.hasOwn(tallies, header.type)) return [];
    const tally = tallies[header.type];
    return liesOf(log, tally, header, index + 1).map((why) => finding(index + 1, why));
  });
}

function liesOf(log, tally, { type, public: told, slots }, position) {
  const [items, seats] = [told[tally.items], told[tally.counts]];
  const areNumbers = isNatural(items) && isNatural(seats) && seats >= 1;
  if (!areNumbers || items % seats !== 0 || items + seats !== slots.length) {
    return [`${type}: its ${tally.items} are not so many for each of its ${tally.counts}`];
  }
  const each = items / seats;
  const found = [];
  for (let seat = 0; seat < seats; seat += 1) {
    const counts = log.openings.get(place(position, items + seat));
    if (counts === undefined) continue;
    const own = Array.from({ length: each }, (_, at) => log.openings.get(place(position, seat * each + at)));
    const why = lieOf(tally, each, counts, own.filter((opening) => opening !== undefined));
    if (why !== null) found.push(`slot ${items + seat}: ${why}`);
  }
  return found;
}

/** Return how counts are not those of `each` items, of which some are known; null if they can be. */
function lieOf({ by, names }, each, { payload: counts }, known) {
  if ([counts, ...known.map(({ payload }) => payload)].some((payload) => canonicalOrNull(payload) === null)) return null;
  const keys = Object.keys(names);
  if (!isObject(counts) || !keys.every((name) => isInteger(counts[name]))) return "it tells no counts";
  if (keys.reduce((sum, name) => sum + counts[name], 0) !== each) return `its counts are not those of ${each} items`;
  for (const [name, value] of Object.entries(names)) {
    const open = known.filter(({ payload }) => isObject(payload) && payload[by] === value).length;
    if (open > counts[name] || (known.length === each && open < counts[name])) {
      return `${counts[name]} of ${value} are counted, ${open} are open`;
    }
  }
  return null;
}

/** A table's id is drawn at random: another kind of UUID could tell when, or where. */
function checkId(table) {
  return UUID_4.test(table) ? [] : [finding(1, "the id of the table is no UUID of version 4")];
}

function checkDoubles(file) {
  const double = new Set(doubles(file.openings.map((each) => place(each.seq, each.slot))));
  return [...double].map((where) => {
    const [seq, slot] = where.split("/");
    return finding(seq, `slot ${slot}: it is opened more than once`);
  });
}

/** Return the slots that share a salt with one before: who holds that, could try values for these. */
function checkSalts({ openings }) {
  const byPlace = (one, other) => Number(one.seq) - Number(other.seq) || Number(one.slot) - Number(other.slot);
  const first = new Map();
  const found = [];
  for (const { seq, slot, salt } of [...openings].sort(byPlace)) {
    if (!first.has(salt)) first.set(salt, place(seq, slot));
    if (first.get(salt) !== place(seq, slot)) found.push(finding(seq, `slot ${slot}: its salt is that of another slot`));
  }
  return found;
}

function checkEngine({ engine, events }) {
  const at = events.findIndex((each) => each.type === "table.started" && isObject(each.public));
  if (at < 0) return engine === null ? [] : [finding(1, "the file names an engine, and no game has started")];
  const { game, rules_version: version, engine: digest } = events[at].public;
  const isSame =
    engine !== null && engine.game === game && engine.rules_version === version && engine.digest === digest;
  return isSame ? [] : [finding(at + 1, "the file names another engine than the start of the game")];
}

// --- Receipts -----------------------------------------------------------------------------------

async function checkReceipts(log, listed) {
  const keys = new Map(listed.map((each) => [each.kid, each]));
  const wrong = checkGenesis(log.file.events[0], keys);
  const kids = new Set();
  let signed = 0;
  for (const receipt of log.file.receipts) {
    if (!isLike(RECEIPT)(receipt)) {
      wrong.push(finding(log.texts.length, "a receipt has not the fields of ttx v1"));
      continue;
    }
    const why = await whyNoReceipt(log, receipt, keys.get(receipt.kid));
    if (why !== null) {
      wrong.push(finding(receipt.seq, why));
      continue;
    }
    signed = Math.max(signed, receipt.seq);
    kids.add(receipt.kid);
  }
  return { wrong, signed, kids: [...kids].sort() };
}

/** Return that the log begins under a key that is not listed, though old keys stay listed for ever. */
function checkGenesis({ public: told }, keys) {
  const kid = isObject(told) ? told.kid : null;
  if (isText(kid) && (kid === NO_KID || keys.has(kid))) return [];
  return [finding(1, "the key that the log begins under is not listed")];
}

async function whyNoReceipt(log, receipt, key) {
  const { v, table, seq, head, at, kid } = receipt;
  const count = log.texts.length;
  if (v !== 1) return `a receipt of version ${v}`;
  if (table !== log.table) return `a receipt of table ${table}`;
  if (key === undefined) return `signed by a key that is not listed, ${kid}`;
  if (at < key.from || (key.until !== null && at >= key.until)) {
    return `signed with key ${kid} at a time when it was not valid`;
  }
  if (!(await isSigned(receipt, unhex(key.public)))) return "the signature is wrong";
  if (seq < 1) return "a receipt of no event";
  if (seq > count) return `the server signed this event, the file ends at ${count}: it is cut off`;
  if (head !== log.hashes[seq - 1]) return "the server signed another event than this, or another past";
  return at === log.file.events[seq - 1].at ? null : "the receipt tells another time than its event";
}

// --- Fairness -----------------------------------------------------------------------------------

/** Judge each epoch: one game of a series, from the commitment to its seed to the next. */
async function judgeFairness(log) {
  const epochs = readEpochs(log.readable);
  for (const epoch of epochs) await findSeed(log, epoch, epochs.length > 1 ? ` of epoch ${epoch.number}` : "");
  await drawAgain(log, epochs);
  if (policyOf(log) === CHOSEN) for (const each of epochs) each.doubt ??= SEED_CHOSEN;
  const isReadable = log.readable.length === log.headers.length;
  if (!isReadable) epochs.at(-1).doubt ??= "the log cannot be read to its end";
  return epochs;
}

const policyOf = (log) => {
  const policy = log.readable[0]?.public.seed_policy;
  return isText(policy) ? policy : "";
};

/** Return the seats whose values are as `is` says, ascending. */
const seatsOf = (values, is) => values.flatMap((each, seat) => (is(each) ? [seat] : []));

function readEpochs(headers) {
  const begun = (number, header) => ({
    number,
    since: header?.seq ?? 1,
    commit: header?.public.seed_commit,
    seeds: [],
    findings: [],
    doubt: null,
    key: null,
    headers: [],
    given: { values: [], withheld: [] },
  });
  const epochs = [begun(0, headers[0])];
  let following = 0;
  for (const header of headers) {
    const { epoch, seed } = header.public;
    if (header.type !== "table.epoch_opened") epochs.at(-1).headers.push(header);
    if (header.type === "table.epoch_opened") {
      epochs.push(begun(epochs.length, header));
      if (epoch !== epochs.length - 1) {
        epochs.at(-1).findings.push(finding(header.seq, `epoch ${said(epoch)} opens, ${epochs.length - 1} is next`));
      }
      following = 0;
    } else if (header.type === "table.seed_revealed") {
      if (Number.isInteger(epoch) && epoch >= 0 && epoch < epochs.length) {
        epochs[epoch].seeds.push([header.seq, unhex(seed)]);
      } else {
        epochs.at(-1).findings.push(finding(header.seq, `the seed of epoch ${said(epoch)}, which is not open`));
      }
    }
    for (const [n, label] of header.draws) {
      if (n !== following) {
        const what = `draw ${n} (${label}) stands where ${following} should`;
        epochs.at(-1).findings.push(finding(header.seq, what));
      }
      following = Number(n) + 1;
    }
  }
  return epochs;
}

async function findSeed(log, epoch, whose) {
  if (log.readable.length > 0 && !isOf(HASH)(epoch.commit)) {
    epoch.findings.push(finding(epoch.since, "the commitment to the seed is no hash"));
  }
  let found = null;
  for (const [position, seed] of epoch.seeds) {
    if (seed.length === 32 && (await seedCommit(log.tid, epoch.number, seed)) === epoch.commit) found = seed;
    else epoch.findings.push(finding(position, "the seed published does not fit the commitment"));
  }
  const hasLied = epoch.findings.length > 0;
  const policy = policyOf(log);
  const seats = countSeats(log.readable);
  epoch.given = { values: Array(seats).fill(null), withheld: [] };
  if (PLAYERS.includes(policy)) epoch.given = await gather(log.tid, epoch, seats);
  if (log.readable.length > 0 && !["server", CHOSEN, ...PLAYERS].includes(policy)) {
    epoch.doubt = `seeds of the policy '${policy}' are not known to this verifier`;
  } else if (found === null) {
    epoch.doubt = hasLied ? "no seed fits the commitment" : `the seed${whose} is not published yet`;
  } else {
    const mixed = policy === CHOSEN ? new Uint8Array(16) : log.tid;
    epoch.key = await streamKey(mixed, epoch.number, found, epoch.given.values);
  }
}

/** Return the number of seats that the mix counts: the start names them, and the settings before it. */
function countSeats(headers) {
  const last = (type) => headers.findLast((each) => each.type === type);
  const seats = (last("table.started") ?? last("table.settings_chosen"))?.public.seats;
  if (Array.isArray(seats)) return seats.length;
  return isInteger(seats) && seats >= 0 && seats <= MOST_SEATS ? Number(seats) : 0;
}

// --- What players add to chance -----------------------------------------------------------------

const PLAYERS = ["players", "players_strict"];
const VOID = ["table.seat_left", "table.seat_replaced", "table.seat_abandoned"]; // before the closing
const CHOSEN = "chosen"; // of a sandbox
const SEED_CHOSEN = "the seed was chosen by whoever opened the table, a sandbox";
const MOST_SEATS = 65535; // the mix has two bytes for their number

/** Return what went into the mix of an epoch: all commitments, then all reveals, then the first draw. */
async function gather(tid, epoch, seats) {
  const commits = new Map();
  const values = Array(seats).fill(null);
  let closed = null;
  let toldMissing = [];
  let hasDrawn = false;
  const number = (value) => (typeof value === "number" ? value : -1);
  const numbers = (value) => (Array.isArray(value) ? [...new Set(value.map(number))].sort((a, b) => a - b) : []);
  const take = {
    "table.entropy_committed": ({ seat, commit }) => {
      if (closed !== null) return `seat ${number(seat)} commits after seating was closed`;
      if (commits.has(number(seat))) return `seat ${number(seat)} commits twice`;
      commits.set(number(seat), commit);
      return null;
    },
    "table.seating_closed": ({ seats: told }) => {
      if (closed !== null) return "seating is closed twice";
      closed = numbers(told);
      const stand = [...commits.keys()].sort((a, b) => a - b);
      return isEqual(closed, stand) ? null : `the commitments of the seats [${stand.join(", ")}] stand`;
    },
    "table.entropy_revealed": async ({ seat: told, entropy }) => {
      const seat = number(told);
      if (closed === null) return `seat ${seat} reveals before seating was closed`;
      if (!closed.includes(seat) || (values[seat] ?? null) !== null) {
        return `seat ${seat} reveals twice, or has not committed`;
      }
      const value = unhex(entropy);
      const isOne = value.length === 32 && seat >= 0 && seat < seats;
      if (!isOne || (await entropyCommit(tid, epoch.number, seat, value)) !== commits.get(seat)) {
        return `what seat ${seat} reveals does not fit its commitment`;
      }
      values[seat] = value;
      return null;
    },
    "table.entropy_missing": ({ seats: told }) => {
      toldMissing = numbers(told);
      return null;
    },
  };
  const whyNoDraw = () => {
    if (closed === null) return "the first draw, before seating was closed";
    const absent = seatsOf(values, (each) => each === null);
    if (isEqual(absent, toldMissing)) return null;
    return `the entropy of the seats [${absent.join(", ")}] is missing, and the log says otherwise`;
  };
  for (const header of epoch.headers) {
    const { type, public: told } = header;
    if (VOID.includes(type) && closed === null) {
      commits.delete(number(told.seat));
    }
    let why = null;
    if (Object.hasOwn(take, type)) {
      why = await take[type](told);
      if (told.epoch !== epoch.number) why = `${type} of epoch ${said(told.epoch)}, ${epoch.number} is open`;
      else if (hasDrawn) why = `${type} behind the first draw`;
    } else if (header.draws.length > 0 && !hasDrawn) {
      hasDrawn = true;
      why = whyNoDraw();
    }
    if (why !== null) epoch.findings.push(finding(header.seq, why));
  }
  return { values, withheld: (closed ?? []).filter((seat) => values[seat] === null) };
}

/** Return whose chance it was, of an epoch whose draws are proved, in lines. */
function words(policy, epoch, { present, missing, withheld }) {
  const name = (seats) =>
    seats.length > 1 ? `seats ${seats.slice(0, -1).join(", ")} and ${seats.at(-1)}` : `seat ${seats[0]}`;
  if (present.length === 0) {
    const when = epoch > 0 ? "that game began" : "anyone sat down";
    const told = `every draw follows from a seed that the server fixed before ${when}`;
    return [policy === "server" ? told : `${told}; no seat added anything`];
  }
  const added = name(present);
  const all = [`every draw follows from the server's seed and what ${added} added, all sealed before any was shown`];
  if (withheld.length > 0) {
    all.push(`${name(withheld)} sealed something and did not show it, or was not heard: who knew the seed may have`);
    all.push("chosen that, and could steer no further without all of the others");
  } else all.push(`nobody could steer it but the server and ${added} together`);
  const nothing = missing.filter((seat) => !withheld.includes(seat));
  if (nothing.length > 0) all.push(`${name(nothing)} added nothing`);
  return all;
}

/** Make every draw again, epoch by epoch, and compare it with what is recorded. */
async function drawAgain(log, epochs) {
  let epoch = 0;
  let game = null; // follows the game; the draws of an event depend on what was before it
  for (const header of log.readable) {
    epoch += header.type === "table.epoch_opened" ? 1 : 0;
    const chance = epochs[epoch];
    if (chance.doubt !== null) return;
    if (header.type === "table.epoch_opened") game?.made.clear();
    try {
      if (header.type === "table.forked") {
        const { origin, position } = header.public;
        const why = `it goes on from position ${position} of table ${origin}, whose log is not at hand`;
        for (const each of epochs) each.doubt ??= why;
        return;
      }
      if (header.type === "table.started") game = begin(header, log);
      if (game === null) {
        if (header.draws.length > 0) chance.findings.push(finding(header.seq, "a draw before the start"));
        continue;
      }
      const why = await whyUnfair(game, header, chance.key);
      if (why !== null) chance.findings.push(finding(header.seq, why));
      game.follow(header);
    } catch (error) {
      if (error instanceof Undecided) chance.doubt = error.message;
      else if (error instanceof TypeError || error instanceof RangeError) {
        chance.doubt = `event ${header.seq} cannot be followed`; // forged events may break anything
      } else throw error;
      return;
    }
  }
}

function begin(header, log) {
  const { game, rules_version: version } = header.public;
  const Follower = Object.hasOwn(GAMES, game) ? GAMES[game] : undefined;
  if (Follower === undefined) throw new Undecided(`the game ${game} is not known to this verifier`);
  if (version !== 1) throw new Undecided(`rules version ${version} of ${game} is not known to this verifier`);
  return new Follower(header.public, log);
}

/** Return how the draws of an event are not what the annex and the stream of chance say, or null. */
async function whyUnfair(game, header, key) {
  const always = game.always[header.type] ?? [];
  const isByTable = header.type === "table.move_played" && header.actor === "table";
  const allowed = isByTable && !game.undrawn.includes(header.public.kind) ? game.ofMoves : always;
  const labels = header.draws.map(([, label]) => label);
  const isRight = allowed.length > 0 ? labels.length === 1 && allowed.includes(labels[0]) : labels.length === 0;
  if (!isRight) return `${header.type}: its draws are not those that follow`;
  if (labels.length === 0) return null;
  const [n, label] = header.draws[0];
  if (game.once.includes(label) && game.made.has(label)) return `${label} is drawn again`;
  game.made.add(label);
  const chance = {
    below: (bound) => {
      if (!(bound > 0)) throw new Undecided(`nothing can be drawn for event ${header.seq}`);
      return below(key, n, label, bound);
    },
    shuffle: (count) => shuffle(key, n, label, count),
  };
  return game.compare(header, label, chance);
}

/**
 * What the games have in common: hidden items by value, and comparisons.
 *
 * `always` gives the labels of the one draw of each type that has one, `ofMoves` those of a move that
 * the table plays, unless it is of a kind of `undrawn`; `once` those that a game draws once.
 */
class Follower {
  undrawn = [];
  once = [];
  made = new Set(); // the labels of the draws so far, in the game of a series that is played

  constructor(started, log) {
    this.log = log;
    this.seats = started.seats.length;
    this.options = started.options;
    this.left = new Set();
  }

  item(seq, slot) {
    const opening = this.log.openings.get(place(seq, slot));
    if (opening === undefined) throw new Undecided(`slot ${slot} of event ${seq} is not open`);
    return opening.payload;
  }

  /** Return a move with what was sealed in it. */
  moveOf(header) {
    const sealed = header.slots.length > 0 ? this.item(header.seq, 0).params : {};
    return { kind: header.public.kind, ...header.public.params, ...sealed };
  }

  async compareSeat(header, chance) {
    const seat = await chance.below(this.seats);
    return header.public.seat === seat ? null : `${header.type}: seat is ${header.public.seat}, ${seat} follows`;
  }

  async compareMove(header, chance, legal) {
    const move = legal[await chance.below(legal.length)];
    return isEqual(this.moveOf(header), move) ? null : "the move is not the one that chance chose";
  }

  /** Compare the slots of an event with `items`, in order, each for one of `receivers`. */
  compareItems(header, items, receivers) {
    const isSame = header.slots.length === items.length && header.slots.every((slot, at) => slot.to === receivers[at]);
    if (!isSame) return `${header.type}: its slots are not those that follow`;
    const at = items.findIndex((item, slot) => !isEqual(this.item(header.seq, slot), item));
    return at < 0 ? null : `the hidden item in slot ${at} is not the one that follows`;
  }
}

const isEqual = (one, other) => canonicalOrNull(one) === canonicalOrNull(other);

// --- Reafan (engines/reafan/annex-v1.json) ------------------------------------------------------

const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const CARDS = ["c", "d", "h", "s"].flatMap((suit) => RANKS.map((rank) => rank + suit));
const inOrder = (cards) => [...cards].sort((one, other) => CARDS.indexOf(one) - CARDS.indexOf(other));
const isRank = (ranks) => (card) => card !== undefined && ranks.includes(card.slice(0, -1));
const isTwo = isRank(["2"]);
const isJack = isRank(["J"]);
const isKing = isRank(["K"]);
const isRoyal = isRank(["Q", "K"]);
const isFigure = isRank(["J", "Q", "K"]);
const cell = (x, y) => `${x},${y}`;

class Reafan extends Follower {
  always = { "reafan.starter_drawn": ["starter"], "reafan.shuffled": ["deck", "mulligan", "kings"] };
  ofMoves = ["time_out", "closed_board"];
  undrawn = ["mulligan"];
  once = ["starter", "deck"];
  due = "deck"; // the label of the next shuffle
  deck = [];
  drawn = 0;
  returning = [];
  hands = [[], []]; // of {card, ref}
  board = new Map(); // the top card of each cell
  seen = new Map(); // the ref of each card played

  compare(header, label, chance) {
    if (label === "starter") return this.compareSeat(header, chance);
    if (label === "time_out" || label === "closed_board") {
      const legal = this.legal(header.public.seat);
      const isStuck = this.isClosed() && legal.every((each) => each.kind === "discard");
      if (isStuck !== (label === "closed_board")) return `a draw of ${label} for seat ${header.public.seat}`;
      return this.compareMove(header, chance, legal);
    }
    if (label !== this.due) return `a shuffle drawn as ${label}`;
    return this.compareDeck(header, label, chance);
  }

  async compareDeck(header, label, chance) {
    const cards = label === "deck" ? CARDS : inOrder([...this.deck.slice(this.drawn), ...this.returning]);
    const order = await chance.shuffle(cards.length);
    const places = order.map((index, at) => ({ place: at, card: cards[index] }));
    return this.compareItems(header, places, places.map(() => "server"));
  }

  follow(header) {
    const { seat, x, y } = header.public;
    switch (header.type) {
      case "reafan.shuffled":
        this.deck = header.slots.map((_, slot) => this.item(header.seq, slot).card);
        [this.drawn, this.returning, this.due] = [0, [], null];
        break;
      case "reafan.dealt":
      case "reafan.card_drawn":
        for (const [seq, slot] of header.assigns) {
          this.hands[seat].push({ card: this.item(seq, slot).card, ref: place(seq, slot) });
        }
        this.drawn += header.assigns.length;
        break;
      case "reafan.hand_laid_aside":
      case "reafan.kings_shown":
        this.returning = this.hands[seat].map((each) => each.card);
        this.hands[seat] = [];
        this.due = header.type === "reafan.kings_shown" ? "kings" : "mulligan";
        break;
      case "reafan.card_swapped": {
        const taken = this.board.get(cell(x, y));
        this.lay(header);
        this.hands[seat].push({ card: taken, ref: this.seen.get(taken) });
        break;
      }
      case "reafan.card_placed":
      case "reafan.card_covered":
        this.lay(header);
        break;
      case "reafan.card_discarded":
        this.play(header);
        break;
    }
  }

  play(header) {
    const ref = place(...header.opens[0]);
    const hand = this.hands[header.public.seat];
    const [held] = hand.splice(hand.findIndex((each) => each.ref === ref), 1);
    this.seen.set(held.card, ref);
    return held.card;
  }

  lay(header) {
    this.board.set(cell(header.public.x, header.public.y), this.play(header));
  }

  /** Return the cells with a card: by x, then by y. */
  taken() {
    return [...this.board.keys()].map((each) => each.split(",").map(Number)).sort(byColumn);
  }

  /** Return whether no free cell takes a card. */
  isClosed() {
    return this.board.size > 0 && this.free(this.taken()).length === 0;
  }

  /** Return the legal moves in canonical order. */
  legal(seat) {
    const hand = inOrder(this.hands[seat].map((each) => each.card));
    const taken = this.taken();
    const free = this.free(taken);
    const plays = this.board.size === 0
      ? hand.filter((card) => !isKing(card)).map((card) => ({ kind: "place", card, x: 0, y: 0 }))
      : hand.flatMap((card) => this.plays(card, free, taken));
    return plays.length > 0 ? plays : hand.map((card) => ({ kind: "discard", card }));
  }

  plays(card, free, taken) {
    const all = (kind, cells) => cells.map(([x, y]) => ({ kind, card, x, y }));
    const top = ([x, y]) => this.board.get(cell(x, y));
    if (isTwo(card)) return all("swap", taken.filter((each) => !isTwo(top(each))));
    if (isKing(card)) return all("place", free.filter((each) => this.isBeside(each, isFigure)));
    if (!isJack(card)) return all("place", free);
    const apart = (each) => !this.isBeside(each, isRoyal);
    const covers = taken.filter((each) => !isFigure(top(each)) && apart(each));
    return [...all("place", free.filter(apart)), ...all("cover", covers)];
  }

  isBeside([x, y], is) {
    return [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]].some(([a, b]) => is(this.board.get(cell(a, b))));
  }

  /** Return the free cells that take a card of no power: by x, then by y. */
  free(taken) {
    const around = taken.flatMap(([x, y]) => [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]]);
    const found = new Map(around.map(([x, y]) => [cell(x, y), [x, y]]));
    return [...found.values()].filter((each) => this.isOpen(...each)).sort(byColumn);
  }

  isOpen(x, y) {
    const has = (dx, dy) => this.board.has(cell(x + dx, y + dy));
    const run = (dx, dy) => {
      let length = 0;
      while (has(dx * (length + 1), dy * (length + 1))) length += 1;
      return length;
    };
    const makesBlock = [[1, 1], [1, -1], [-1, 1], [-1, -1]].some(
      ([dx, dy]) => has(dx, 0) && has(0, dy) && has(dx, dy),
    );
    return !has(0, 0) && !makesBlock && run(-1, 0) + run(1, 0) < 5 && run(0, -1) + run(0, 1) < 5;
  }
}

const byColumn = ([ax, ay], [bx, by]) => ax - bx || ay - by;

// --- Cthulhu (engines/cthulhu/annex-v1.json) ----------------------------------------------------

const KINDS = ["futile", "elder_sign", "cthulhu"];
const SETUPS = {
  3: { deck: [11, 3, 1], pool: [3, 2] },
  4: { deck: [15, 4, 1], pool: [3, 2] },
  5: { deck: [19, 5, 1], pool: [4, 2] },
  6: { deck: [23, 6, 1], pool: [4, 2] },
};
const repeated = (names, counts) => names.flatMap((name, at) => Array(Math.max(0, counts[at])).fill(name));

class Cthulhu extends Follower {
  always = { "cthulhu.roles_dealt": ["roles"], "cthulhu.first_active": ["first"], "cthulhu.cards_laid": ["cards"] };
  ofMoves = ["time_out"];
  undrawn = ["declare"];
  once = ["roles", "first"];
  revealed = [0, 0, 0]; // by kind
  active = 0;
  laid = 0; // how often cards were laid in this game: each time as many are revealed as there are seats
  faceDown = []; // the places not revealed, by seat

  compare(header, label, chance) {
    switch (label) {
      case "roles": return this.compareRoles(header, chance);
      case "first": return this.compareSeat(header, chance);
      case "cards": return this.compareCards(header, chance);
      default: return this.compareMove(header, chance, this.investigations());
    }
  }

  async compareRoles(header, chance) {
    const pool = repeated(["investigator", "cultist"], SETUPS[this.seats].pool);
    const order = await chance.shuffle(pool.length);
    const receivers = order.map((_, slot) => (slot < this.seats ? `seat:${slot}` : "server"));
    return this.compareItems(header, order.map((index) => ({ role: pool[index] })), receivers);
  }

  async compareCards(header, chance) {
    const count = this.revealed.reduce((sum, each) => sum + each, 0);
    if (count !== this.seats * this.laid) return `${header.type}: its draws are not those that follow`;
    const { deck } = SETUPS[this.seats];
    const cards = repeated(KINDS, deck.map((count, kind) => count - this.revealed[kind]));
    const order = await chance.shuffle(cards.length);
    const each = Math.floor(cards.length / this.seats);
    const deal = order.map((index) => cards[index]);
    const laid = deal.map((kind, at) => ({ seat: Math.floor(at / each), place: at % each, kind }));
    const counts = Array.from({ length: this.seats }, (_, seat) => {
      const [futile, signs, cthulhu] = KINDS.map(
        (kind) => laid.filter((card) => card.seat === seat && card.kind === kind).length,
      );
      return { futile, elder_signs: signs, cthulhu };
    });
    const receivers = [...laid.map(() => "server"), ...counts.map((_, seat) => `seat:${seat}`)];
    return this.compareItems(header, [...laid, ...counts], receivers);
  }

  investigations() {
    return this.faceDown.flatMap((places, target) =>
      target === this.active ? [] : places.map((each) => ({ kind: "investigate", target, place: each })),
    );
  }

  follow(header) {
    const told = header.public;
    switch (header.type) {
      case "cthulhu.roles_dealt":
        [this.revealed, this.laid] = [[0, 0, 0], 0];
        break;
      case "cthulhu.first_active":
        this.active = told.seat;
        break;
      case "cthulhu.cards_laid":
        this.laid += 1;
        this.faceDown = Array.from({ length: this.seats }, () =>
          Array.from({ length: told.cards / this.seats }, (_, at) => at),
        );
        break;
      case "cthulhu.card_revealed":
        this.revealed[KINDS.indexOf(this.item(...header.opens[0]).kind)] += 1;
        this.active = told.target;
        this.faceDown[told.target] = this.faceDown[told.target].filter((each) => each !== told.place);
        break;
    }
  }
}

// --- Arrecife (engines/arrecife/annex-v1.json) --------------------------------------------------

const KIT = ["A", "B", "1", "2", "3", "4", "5", "+", "-"];
const kindOf = (card) => ("AB".includes(card) ? 0 : "+-".includes(card) ? 2 : 1);

class Arrecife extends Follower {
  always = { "arrecife.amulet_placed": ["amulet"] };
  ofMoves = ["time_out", "leaver"];
  once = ["amulet"];
  shown = []; // the cards of this round, by seat
  fallen = new Set();

  compare(header, label, chance) {
    if (label === "amulet") return this.compareSeat(header, chance);
    const { seat } = header.public;
    if (this.left.has(seat) !== (label === "leaver")) return `a draw of ${label} for seat ${seat}`;
    return this.compareMove(header, chance, this.legal(header.public));
  }

  legal({ kind, seat }) {
    const seats = Array.from({ length: this.seats }, (_, each) => each);
    const alive = seats.filter((each) => !this.fallen.has(each));
    if (kind === "ability") {
      return alive.flatMap((target) => ["ram", "bite"].map((ability) => ({ kind, ability, target })));
    }
    const highest = alive.length >= 5 ? 5 : 4;
    const mine = this.shown[seat];
    const isFixed = this.options.card_order === "fixed";
    return KIT.filter((card) => {
      const isPlayable = isFixed
        ? kindOf(card) === mine.length
        : !mine.some((each) => kindOf(each) === kindOf(card));
      return isPlayable && !(kindOf(card) === 1 && Number(card) > highest);
    }).map((card) => ({ kind, card }));
  }

  follow(header) {
    const told = header.public;
    switch (header.type) {
      case "arrecife.round_began":
        this.shown = Array.from({ length: this.seats }, () => []);
        break;
      case "arrecife.cards_revealed":
        header.opens.forEach(([seq, slot], at) => {
          this.shown[told.seats[at]].push(this.item(seq, slot).params.card);
        });
        break;
      case "arrecife.seat_fell":
        this.fallen.add(told.seat);
        break;
      case "arrecife.seat_left":
        this.left.add(told.seat);
        break;
    }
  }
}

const GAMES = { reafan: Reafan, cthulhu: Cthulhu, arrecife: Arrecife };

// --- The command --------------------------------------------------------------------------------

const LONGEST = 400; // characters of a line; what a file tells may be of any length

function told(name, { status, doubt, findings }) {
  if (findings.length > 0) return `FAILED at position ${findings[0].position}: ${findings[0].what}`;
  if (status === "proved") return "proved";
  return `not provable ${name === "replay" ? "here" : "from this view"}: ${doubt}`;
}

/** Return the verdicts in lines, each for itself, and in the end what they come to. */
export function lines(found, { isServers = false } = {}) {
  const all = [];
  for (const [name, each] of Object.entries(found.verdicts)) {
    all.push(`${name}: ${told(name, each)}`);
    for (const { position, what } of each.findings.slice(1)) all.push(`  and at position ${position}: ${what}`);
    if (name !== "fairness") continue;
    const isSeries = found.fairness_of_epochs.length > 1;
    found.fairness_of_epochs.forEach((epoch, number) => {
      if (isSeries) all.push(`  epoch ${number}: ${told(name, epoch)}`);
      if (epoch.status !== "proved") return;
      const indent = isSeries ? "    " : "  ";
      all.push(...words(found.seed_policy, number, found.entropy_of_epochs[number]).map((line) => indent + line));
    });
  }
  if (found.verdicts.integrity.status !== "failed") all.push(signedLine(found, isServers));
  all.push(found.summary);
  return all.map(shown);
}

function signedLine({ signed_up_to: signed, events, keys }, isServers) {
  if (signed === 0) return `verified up to event 0 of ${events}: no receipt speaks for what is here`;
  const whose = isServers ? "of those that the server lists" : "(is it the server's? it lists its keys at /v1/keys)";
  return `verified up to event ${signed} of ${events}, by key ${keys.join(", ")} ${whose}`;
}

/** Return a line that can do nothing to a terminal, whatever the file told. */
function shown(text) {
  const plain = text.replace(/[^\P{C}]|[^\P{Z} ]/gu, (each) => `\\u${each.codePointAt(0).toString(16).padStart(4, "0")}`);
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST)}...`;
}

async function main(args) {
  const { readFile: read } = await import("node:fs/promises");
  const usage = "usage: node verify.mjs FILE [--json] [--keys FILE]";
  const paths = [];
  const options = { json: false, keys: null };
  for (let at = 0; at < args.length; at += 1) {
    if (args[at] === "--json") options.json = true;
    else if (args[at] === "--keys" && at + 1 < args.length) options.keys = args[(at += 1)];
    else if (args[at].startsWith("-")) return process.stderr.write(`${usage}\n`), 2;
    else paths.push(args[at]);
  }
  if (paths.length !== 1) return process.stderr.write(`${usage}\n`), 2;
  let path = options.keys;
  try {
    const keys = path === null ? null : readKeys(await read(path));
    [path] = paths;
    const found = await judge(await read(path), { keys });
    const text = options.json ? JSON.stringify(found) : lines(found, { isServers: keys !== null }).join("\n");
    process.stdout.write(`${text}\n`);
    return found.is_good ? 0 : 1;
  } catch (error) {
    if (!(error instanceof NotATranscript) && error.code === undefined) throw error;
    const why = { ENOENT: "No such file or directory", EISDIR: "Is a directory" }[error.code] ?? error.message;
    process.stderr.write(`${shown(`${path} cannot be ${path === options.keys ? "read" : "verified"}: ${why}.`)}\n`);
    return 2;
  }
}

if (typeof process !== "undefined" && process.argv?.[1] !== undefined) {
  const [{ pathToFileURL }, { realpathSync }] = await Promise.all([import("node:url"), import("node:fs")]);
  let called = null;
  try {
    called = pathToFileURL(realpathSync(process.argv[1])).href;
  } catch {
    // a program that is no file imports this one
  }
  if (called === import.meta.url) process.exitCode = await main(process.argv.slice(2));
}
