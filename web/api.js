/** The public API as this client uses it: token, language, tags, idempotency, refusals, the server's time. */

const KEPT = "posta.session";

/** @typedef {{token: string, name: string, isGuest?: boolean, device?: string}} Session */

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

/** @param {string} method @param {string} path @param {any} [body] @param {Record<string, string>} [extra]
 * @param {string} [server] @param {AbortSignal} [signal] @returns {Promise<Response>} */
async function ask(method, path, body, extra = {}, server = "", signal = AbortSignal.timeout(15_000)) {
  /** @type {Record<string, string>} */
  const headers = { "Accept-Language": language(), ...extra };
  if (session) headers.Authorization = `Bearer ${session.token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(`${server}/v1/${path}`, { method, headers, body: body && JSON.stringify(body), cache: "no-store", signal });
  } catch {
    throw new Refused({ code: "offline", detail: "" });
  }
  if (response.ok || response.status === 304) return response;
  let problem = { code: "offline", detail: response.statusText, status: response.status };
  try {
    problem = await response.json();
  } catch {
    // a proxy's page; the status says enough
  }
  if (problem.code === "unauthenticated" && session) {
    keep(null); // the token is valid no more
    dispatchEvent(new Event("hashchange"));
  }
  throw new Refused(problem);
}

/** @type {Promise<string> | null} */
let liveUrl = null;

/** Ask the process that serves what waits; it may have another address.
 * @param {string} path @param {Record<string, string>} extra @param {AbortSignal} signal */
export async function live(path, extra, signal) {
  liveUrl ??= get("status").then((status) => status.live_url);
  const server = await liveUrl.catch((error) => {
    liveUrl = null;
    throw error;
  });
  return ask("GET", `live/${path}`, undefined, extra, server, signal);
}

/** Return what an answer holds; null where it is empty. @param {Response} response @returns {Promise<any>} */
const held = async (response) => JSON.parse((await response.text()) || "null");

/** Return what is at a path. @param {string} path */
export const get = async (path) => held(await ask("GET", path));

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
      return await held(await ask("POST", path, body, { "Idempotency-Key": key }));
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "offline" || again === 2) throw error;
      await new Promise((done) => setTimeout(done, 800 * (again + 1))); // the answer may be lost, not the command
    }
  }
}

/** @param {string} path @param {any} body */
export const patch = async (path, body) => held(await ask("PATCH", path, body));

/** @param {string} path @param {any} [body] */
export const put = async (path, body) => held(await ask("PUT", path, body));

/** @param {string} path @param {any} [body] */
export const remove = (path, body) => ask("DELETE", path, body);

/** Sign in, up, or as a guest. @param {"sessions" | "players" | "guests"} where @param {any} given */
export async function enter(where, given) {
  const { token, player, details } = await post(where, { ...given, label: device() });
  keep({ token, name: player.name, isGuest: player.guest, device: details.id });
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  if (where !== "sessions") await patch("me", { zone }).catch(() => {}); // for quiet hours and the daily mail
}

/** What the list of devices calls this one: "Chrome, Android". */
function device() {
  const known = [/Firefox|Edg|OPR|Chrome|Safari/, /Android|iPhone|iPad|Windows|Mac|Linux/];
  return known.map((each) => each.exec(navigator.userAgent)?.[0]).filter(Boolean).join(", ") || "browser";
}

/** Let a guest keep the account. @param {any} given name and password */
export async function keepAccount(given) {
  const { name } = await put("me/credentials", given);
  keep({ .../** @type {Session} */ (session), name, isGuest: false });
}

export async function signOut() {
  try {
    await remove("sessions");
  } catch {
    // the token is forgotten here all the same
  }
  keep(null);
}
