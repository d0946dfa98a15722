/** What a player adds to the chance of a game, where the table asks for it: sealed first, then shown. */

import { newKey, post } from "./api.js";

/** Add to it where it is time; twice is once, by the keys of the commands.  Source: transcript format ttx v1, Randomness. @param {any} view */
export async function contribute({ entropy, viewer, table_id: table }) {
  if (!entropy || viewer === null) return;
  const { epoch, stage, committed, revealed } = entropy;
  const place = `${table.replaceAll("-", "")}${pad(epoch, 8)}${pad(viewer, 4)}`;
  const drawn = localStorage.getItem(place) ?? newKey() + newKey(); // kept until it is shown
  localStorage.setItem(place, drawn);
  if (stage === "commit" && !committed.includes(viewer)) {
    const sealed = [...new TextEncoder().encode("ttx/entropy/v1\0"), ...bytes(place + drawn)];
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(sealed)));
    await post(`tables/${table}/entropy/commitment`, { epoch, commit: [...digest].map((each) => pad(each, 2)).join("") }, `commit-${place}`);
  } else if (stage === "reveal" && committed.includes(viewer) && !revealed.includes(viewer)) {
    await post(`tables/${table}/entropy/reveal`, { epoch, entropy: drawn }, `reveal-${place}`);
  }
}

/** @param {number} number @param {number} digits */
const pad = (number, digits) => number.toString(16).padStart(digits, "0");
/** @param {string} hex */
const bytes = (hex) => (hex.match(/../g) ?? []).map((each) => parseInt(each, 16));
