/** Made-up positions, as the views of the API would tell them. */

import { word } from "./catalogue.js";

export const NAMES = ["reafan", "arrecife", "cthulhu"];
const PEOPLE = ["Ana", "Bernardo", "Carla", "Diego", "Elena", "Fabián", "Guadalupe"];

const CELLS = "0,0,7h 1,0,9c 1,1,Qs 1,2,4d 0,2,Ac 2,2,10h -1,2,Jd,3s 2,3,8d -1,1,Kc 3,3,2s 3,4,6h -1,-1,5s -1,0,3d";
const BOARD = CELLS.split(" ").map((each) => {
  const [x, y, card, ...covered] = each.split(",");
  return { x: Number(x), y: Number(y), card, covered };
});

/** @param {any[]} hand @param {any} more */
const reafan = (hand, more) => ({
  viewer: 0, turn: 14, mover: 0, starter: 0, board: BOARD, is_closed: false, deck_size: 31, deck: null, discards: [], kings_shown: [], is_over: false,
  seats: [{ seat: 0, score: 12, hand_size: 3, shown: [], hand }, { seat: 1, score: 9, hand_size: 3, shown: ["9c"], hand: null }], ...more,
});

const PLACES = [[-2, 1], [-2, 2], [0, -1], [2, 0], [3, 2], [2, 4], [3, 5], [4, 3], [0, 3], [1, -1]].map(([x, y]) => ({ kind: "place", params: { card: "Qd", x, y } }));
const LAST = [{ position: 1, type: "reafan.card_placed", occurred_at: "", actor_seat: 1, sentence: "", data: { seat: 1, x: 2, y: 2, row_points: 4, column_points: 0, points: 4, score: 9 } }];

/** @param {number} seat @param {number} hp @param {string} shown @param {any} [more] */
const diver = (seat, hp, shown, more = {}) => ({
  seat, hp, is_alive: hp > 0, is_worm: false, has_left: false, out_at: hp > 0 ? null : 4, shown: [...shown], has_picked: false, pick: null,
  hand: [..."AB12345+-"].filter((each) => !kinds(shown).some((kind) => kind.includes(each))), ...more,
});
/** @param {string} shown */
const kinds = (shown) => ["AB", "12345", "+-"].filter((kind) => [...shown].some((each) => kind.includes(each)));

const ROUND = { round: 4, amulet: 3, cards: ["A3+", "B4-", "4A+", "B-5", "1+A", "", "A2-"], ability: "bite", target: 1, majority: [0, 2, 4, 6], minority: [1, 3], majority_sum: 6, minority_sum: 9, verdict: "inverted", struck: [0, 2, 4, 6], healed: [], hp: [16, 22, 11, 27, 4, 0, 13] };
const OLD = { ...ROUND, round: 3, ability: null, target: null, verdict: "below", struck: [1, 3], hp: [22, 24, 17, 27, 10, 4, 19] };
const OPTIONS = { starting_hp: 30, card_order: "free", ram_effect: "switch_team", bite_damage: 2, max_rounds: 60, talk: "silent" };

const RING = {
  viewer: 0, options: OPTIONS, turn: 15, round: 5, reveal: 2, amulet: 2, highest_value: 5, players: [0, 1, 2, 3, 4, 6], worm: 5, is_duel: false, laid: { target: 3, ability: null }, winners: [], is_over: false,
  seats: [diver(0, 16, "A"), diver(1, 22, "4", { has_picked: true }), diver(2, 11, "B", { has_picked: true }), diver(3, 27, "-"), diver(4, 4, "A", { has_picked: true }), diver(5, 0, "", { is_worm: true }), diver(6, 13, "B")],
  history: [OLD, OLD, OLD, ROUND],
};

/** @param {number} seat @param {number[]} face_down @param {any} more */
const keeper = (seat, face_down, more) => ({ seat, has_left: false, face_down, role: null, dealt: null, remaining: null, told: "shown", statement: { elder_signs: 1, cthulhu: 0 }, tokens: 0, ...more });

/** @param {any} more */
const abyss = (more) => ({
  viewer: 0, declarations: "in_order", is_series: false, turn: 9, game: 1, round: 2, phase: "investigating", active: 0, investigations: 2, pool: [], left_over: null,
  deck: { futile: 15, elder_signs: 4, cthulhu: 1 }, revealed: { futile: 4, elder_signs: 2, cthulhu: 0 }, reason: null, side: null, winners: [], past: [], is_over: false,
  seats: [
    keeper(0, [0, 2, 3], { role: "investigator", dealt: { futile: 3, elder_signs: 1, cthulhu: 0 }, remaining: { futile: 2, elder_signs: 1, cthulhu: 0 } }),
    keeper(1, [0, 1, 2, 3], { statement: { elder_signs: 0, cthulhu: 0 } }),
    keeper(2, [0, 1, 3], { statement: { elder_signs: 2, cthulhu: 0 } }),
    keeper(3, [0, 1, 2, 3], { told: "nothing", statement: null })],
  rounds: [{ round: 2, starter: 1, cards: 4, declarations: [{ seat: 1, elder_signs: 0, cthulhu: 0, after: 0 }, { seat: 2, elder_signs: 2, cthulhu: 0, after: 0 }], reveals: [{ seat: 1, target: 2, place: 2, kind: "elder_sign" }, { seat: 2, target: 0, place: 1, kind: "futile" }], dealt: [], places: null }],
  ...more,
});

const PICKS = [..."12345+-"].map((card) => ({ kind: "pick", params: { card } }));
const SEARCHES = [[1, 0], [1, 1], [1, 2], [1, 3], [2, 0], [2, 1], [2, 3], [3, 0], [3, 1], [3, 2], [3, 3]].map(([target, place]) => ({ kind: "investigate", params: { target, place } }));
const SAYINGS = [0, 1, 2, 3, 4, 5].flatMap((elder_signs) => [0, 1].map((cthulhu) => ({ kind: "declare", params: { elder_signs, cthulhu } }))).filter(({ params }) => params.elder_signs + params.cthulhu <= 5);
const LYING = [["futile", "elder_sign", "futile", "futile"], ["futile", "cthulhu", "futile", "futile"], ["futile", "futile", "elder_sign", "elder_sign"], ["futile", "futile", "futile", "futile"]];

/** @type {Record<string, {name: string, data: any, legal?: any[], log?: any[], awaited?: number[], ui?: any}[]>} */
const SAMPLES = {
  reafan: [
    { name: "1", data: reafan(["Qd", "5h", "10c"], {}), legal: PLACES, log: LAST, awaited: [0], ui: { card: "Qd" } },
    { name: "2", data: reafan(["3h"], { is_over: true, mover: null, deck_size: 0, discards: ["Ks"] }) },
  ],
  arrecife: [
    { name: "1", data: RING, legal: PICKS, awaited: [0, 3, 6] },
    { name: "2", data: { ...RING, players: [0, 1, 2], worm: 2, is_duel: true, laid: null, amulet: 1, seats: [diver(0, 7, "2"), diver(1, 12, "A", { has_picked: true }), diver(2, 0, "+", { is_worm: true })], history: [] }, awaited: [0, 2] },
  ],
  cthulhu: [
    { name: "1", data: abyss({}), legal: SEARCHES, awaited: [0] },
    { name: "2", data: abyss({ phase: "declaring", round: 1, active: 0, investigations: 0, rounds: [{ round: 1, starter: 0, cards: 5, declarations: [], reveals: [], dealt: [], places: null }], seats: [0, 1, 2, 3].map((seat) => keeper(seat, [0, 1, 2, 3, 4], { told: "nothing", statement: null, ...(seat === 0 && { role: "cultist", dealt: { futile: 4, elder_signs: 0, cthulhu: 1 }, remaining: { futile: 4, elder_signs: 0, cthulhu: 1 } }) })) }), legal: SAYINGS, awaited: [0] },
    { name: "3", data: abyss({ is_over: true, phase: "over", active: null, side: "cultists", rounds: [{ ...abyss({}).rounds[0], reveals: [...abyss({}).rounds[0].reveals, { seat: 0, target: 1, place: 1, kind: "cthulhu" }], places: LYING }], seats: abyss({}).seats.map((each, seat) => ({ ...each, role: seat === 2 ? "cultist" : "investigator" })) }) },
  ],
};

/** @param {string} game */
export const samplesOf = (game) => SAMPLES[game] ?? [];

/** Return a sample as a scene in which cards can be chosen. @param {any} of @param {any} sample @param {() => void} redraw @returns {any} */
export function sceneOf(of, sample, redraw) {
  /** @type {any} */
  const scene = {
    data: sample.data, of, names: PEOPLE, me: sample.data.viewer, awaited: sample.awaited ?? [], legal: sample.legal ?? [], pending: null, ui: { ...sample.ui }, redraw, log: sample.log ?? [],
    word: (code) => word(of, code),
    choose: (move) => { scene.pending = move; redraw(); },
  };
  return scene;
}
