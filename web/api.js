/** The public API as this client uses it: token, language, tags, idempotency, refusals, the server's time. */

const KEPT = "posta.session";

/** @typedef {{token: string, name: string, password?: string, isGuest?: boolean}} Session */

/** A refusal (RFC 9457), or code "offline" where no answer came. */
export class Refused extends Error {
  /** @param {any} problem */
  constructor(problem) {
    super(problem.detail);
    this.code = problem.code;
    this.status = problem.status ?? 0;
    this.errors = problem.errors ?? [];
  }
}

/** @type {Session | null} */
let session = JSON.parse(localStorage.getItem(KEPT) ?? "null");
let ahead = 0; // of the server's clock, in milliseconds
const tags = new Map();

export const me = () => session;

/** @param {Session | null} next */
export function keep(next) {
  session = next;
  tags.clear();
  if (next) localStorage.setItem(KEPT, JSON.stringify(next));
  else localStorage.removeItem(KEPT);
}

export const language = () =>
  localStorage.getItem("posta.language") ?? (navigator.language.toLowerCase().startsWith("es") ? "es" : "en");

/** The server's time now, in milliseconds. */
export const now = () => Date.now() + ahead;

/** @param {string} serverTime */
export function setClock(serverTime) {
  ahead = Date.parse(serverTime) - Date.now();
}

/** A key for a command: sent again with it, it counts once. */
export function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((each) => each.toString(16).padStart(2, "0")).join("");
}

/** @param {string} method @param {string} path @param {any} [body] @param {Record<string, string>} [extra] @returns {Promise<Response>} */
async function ask(method, path, body, extra = {}) {
  /** @type {Record<string, string>} */
  const headers = { "Accept-Language": language(), ...extra };
  if (session) headers.Authorization = `Bearer ${session.token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(`/v1/${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      signal: AbortSignal.timeout(15_000),
    });
  } catch {
    throw new Refused({ code: "offline", detail: "" });
  }
  if (response.ok || response.status === 304) return response;
  if (response.status === 401 && session && (await isRenewed())) return ask(method, path, body, extra);
  let problem = { code: "offline", detail: response.statusText, status: response.status };
  try {
    problem = await response.json();
  } catch {
    // a proxy's page; the status says enough
  }
  throw new Refused(problem);
}

/** A token that is no longer valid is made anew where the password is known, and forgotten elsewhere. */
async function isRenewed() {
  const { name, password, ...rest } = /** @type {Session} */ (session);
  keep(null);
  if (!password) return false;
  const { token } = await post("sessions", { name, password });
  keep({ ...rest, name, password, token });
  return true;
}

/** Return what is at a path. @param {string} path @returns {Promise<any>} */
export async function get(path) {
  return (await ask("GET", path)).json();
}

/** Return what is at a path, or null if it is still what was got from there last time.
 * @param {string} path @returns {Promise<any>} */
export async function getIfNew(path) {
  const response = await ask("GET", path, undefined, tags.has(path) ? { "If-None-Match": tags.get(path) } : {});
  if (response.status === 304) return null;
  const tag = response.headers.get("ETag");
  if (tag) tags.set(path, tag);
  return response.json();
}

/** Ask for the whole next time. @param {string} path */
export const forget = (path) => tags.delete(path);

/** Return the bytes at a path. @param {string} path */
export async function bytes(path) {
  return new Uint8Array(await (await ask("GET", path)).arrayBuffer());
}

/** Send a command; the same `key` again is the same command.
 * @param {string} path @param {any} [body] @param {string} [key] @returns {Promise<any>} */
export async function post(path, body = {}, key = newKey()) {
  for (let again = 0; ; again += 1) {
    try {
      return await (await ask("POST", path, body, { "Idempotency-Key": key })).json();
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "offline" || again === 2) throw error;
      await new Promise((done) => setTimeout(done, 800 * (again + 1))); // the answer may be lost, not the command
    }
  }
}

/** @param {string} path @param {any} body @returns {Promise<any>} */
export const patch = async (path, body) => (await ask("PATCH", path, body)).json();

/** @param {string} path @param {any} body @returns {Promise<any>} */
export const put = async (path, body) => (await ask("PUT", path, body)).json();

/** @param {string} name @param {string} password */
export async function signIn(name, password) {
  const { token, player } = await post("sessions", { name, password });
  keep({ token, name: player.name });
}

/** @param {string} name @param {string} password */
export async function signUp(name, password) {
  const { token, player } = await post("players", { name, password, locale: language() });
  keep({ token, name: player.name });
}

/** Make an account of which nobody needs to know anything; its password stays in this browser.
 * The one place to change where the server knows guests. */
export async function becomeGuest() {
  const name = `${language() === "es" ? "Visita" : "Guest"}-${newKey().slice(0, 6)}`;
  const password = newKey();
  const { token, player } = await post("players", { name, password, locale: language() });
  keep({ token, name: player.name, password, isGuest: true });
}

export async function signOut() {
  try {
    await ask("DELETE", "sessions");
  } catch {
    // the token is forgotten here all the same
  }
  keep(null);
}
