/** The drawings: one line for each game that has one; every other game is drawn by the generic one. */

import { arrecife } from "./arrecife.js";
import { cthulhu } from "./cthulhu.js";
import { generic } from "./generic.js";
import { reafan } from "./reafan.js";
/** @import { Entry } from "../log.js" */

/**
 * What a drawing is given.
 * @typedef {object} Scene
 * @property {any} data the game as the viewer knows it (`data` of the view)
 * @property {any} of the game of the catalogue, for its words
 * @property {(code: string) => string} word
 * @property {string[]} names of the holders of the seats
 * @property {number | null} me the seat whose eyes these are
 * @property {number[]} awaited seats
 * @property {any[]} legal moves that may be sent now
 * @property {any} pending the move chosen and not yet sent
 * @property {(move: any, text: string, byKeyboard?: boolean) => void} choose
 * @property {Record<string, any>} ui what the drawing remembers between two drawings
 * @property {() => void} redraw
 * @property {Entry[]} log
 */

/**
 * @typedef {object} Drawing
 * @property {() => Element} emblem
 * @property {(scene: Scene) => any} draw
 * @property {string[]} kinds of move that it offers by itself
 * @property {string[]} [steps] types of events that a player would watch, one after the other
 * @property {string[]} [sweeps] types of events after which the last of them is no more to be seen
 * @property {(data: any, word: (code: string) => string) => string | null} [side] that has won, where sides win
 * @property {(entry: Entry) => boolean} [isNoise] entries that say nothing new
 * @property {(log: Entry[], seats: number) => {name: string, lines: {seat: number, name?: string, points: [number, number][]}[]} | null} [plot]
 */

/** @type {Record<string, Drawing>} */
const DRAWINGS = { reafan, arrecife, cthulhu };

/** @param {string} game @returns {Drawing} */
export const drawingOf = (game) => DRAWINGS[game] ?? generic;
