/** Forms: what stands in their fields is sent, once at a time; a refusal is told. */

import { attempt, route, tell } from "./app.js";
import { h } from "./dom.js";
import { t } from "./words.js";

/** Return a form that hands what stands in its fields to `act`, by name, and itself; a password as it was typed.
 * @param {(given: any, self: HTMLFormElement) => Promise<any>} act @param {Record<string, any>} given @param {...any} children */
export function form(act, given, ...children) {
  const send = async (/** @type {any} */ event) => {
    event.preventDefault();
    const { target, submitter } = event;
    const fields = [...new FormData(target)].map(([name, value]) => [name, name.endsWith("password") ? value : String(value).trim()]);
    if (submitter) submitter.disabled = true;
    await attempt(() => act(Object.fromEntries(fields), target));
    if (submitter) submitter.disabled = false;
  };
  return h("form", { class: "form", ...given, onsubmit: send }, children);
}

/** Return what `form` is to do: act, say that it is kept, show the page anew.
 * @param {(given: any) => Promise<any>} act */
export const keeping = (act) => async (/** @type {any} */ given) => {
  await act(given);
  tell(t("saved"));
  await route();
};

/** @param {string} text @param {string} name @param {Record<string, any>} [given] @param {string} [help] */
export const field = (text, name, given = {}, help) => h("label", text, h("input", { name, ...given }), help && h("small", help));

/** @param {string} text @param {string} name @param {Record<string, string>} words by value @param {any} [chosen] @param {Record<string, any>} [given] */
export const choice = (text, name, words, chosen, given = {}) =>
  h("label", text, h("select", { name, ...given }, Object.entries(words).map(([value, word]) => h("option", { value, selected: value === String(chosen) }, word))));
