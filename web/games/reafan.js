/** Reafan: the growing board, the hand, and where the chosen card may go. */

import { button, h, img, pressable, s } from "../dom.js";
import { gain } from "./reafan_score.js";
import { either, t } from "../words.js";
/** @import { Drawing, Scene } from "./index.js" */

const [WIDE, HIGH] = [62, 76]; // from one cell to the next
const SUITS = {
  h: "M12 21C5 15 2 11.5 2 7.8 2 4.8 4.3 3 6.8 3 9 3 11 4.3 12 6.5 13 4.3 15 3 17.2 3 19.7 3 22 4.8 22 7.8 22 11.5 19 15 12 21Z",
  d: "M12 1.500L20.5 12 12 22.5 3.5 12Z",
  s: "M12 2C16 7 21.5 10 21.5 14.2 21.5 17 19.4 18.8 17 18.8 15.3 18.8 13.9 18 13 16.8 13.2 19.2 14 21 15.5 22.500H8.500C10 21 10.8 19.2 11 16.8 10.1 18 8.7 18.8 7 18.8 4.6 18.8 2.5 17 2.5 14.2 2.5 10 8 7 12 2Z",
  c: "M12 2a4.7 4.7 0 0 1 3.6 7.7 4.7 4.7 0 1 1-2.6 7.600c.2 2 1 3.7 2.5 5.200h-7c1.5-1.5 2.3-3.2 2.5-5.200a4.7 4.7 0 1 1-2.6-7.600A4.7 4.7 0 0 1 12 2Z",
};
const PLAYS = ["card_placed", "card_covered", "card_swapped"].map((each) => `reafan.${each}`);

/** Draw a card of 58 by 72. @param {string} card @param {number} [below] how many it covers */
function face(card, below = 0) {
  const [rank, suit] = [card.slice(0, -1), card.slice(-1)];
  return [
    below > 0 && s("rect.under", { x: 4, y: 4, width: 58, height: 72, rx: 7 }),
    s("rect.paper", { width: 58, height: 72, rx: 7 }),
    "JQK".includes(rank) && s("rect.gilt", { x: 3.5, y: 3.5, width: 51, height: 65, rx: 5 }),
    s("g", { class: `suit-${suit}` },
      s("text", { x: rank === "10" ? 4 : 7, y: 29, class: rank === "10" ? "rank ten" : "rank" }, rank),
      s("path", { d: SUITS[/** @type {keyof SUITS} */ (suit)], transform: "translate(23 34) scale(1.32)" })),
  ];
}

const back = () => [s("rect.back", { width: 58, height: 72, rx: 7 }), s("path.weave", { d: "M8 8h42v56H8zM29 14l14 22-14 22-14-22z" })];

/** @param {any} content @param {Record<string, any>} [given] */
const card = (content, given = {}) => s("svg", { viewBox: "-1 -1 64 78", class: "playing-card", ...given }, content);

/** @param {Scene} scene */
function draw(scene) {
  const { data, ui, legal, me } = scene;
  const hand = me === null ? [] : (data.seats[me].hand ?? []);
  if (!hand.includes(ui.card)) ui.card = null;
  const first = legal.find((each) => each.kind === "mulligan");
  return [
    h("div.plates", data.seats.map((each) => plate(scene, each))),
    board(scene),
    me !== null && hand.length > 0 && !data.is_over && h("div.hand", { role: "group", tabindex: -1, "aria-label": t("hand"), "data-arrows": true },
      hand.map((each) => inHand(scene, each))),
    first && h("div.card", h("p", scene.of.names.moves.mulligan.help),
      h("div.buttons", legal.filter((each) => each.kind === "mulligan").map((each) => {
        const text = scene.word(each.params.take ? "take" : "keep");
        return button(text, (/** @type {MouseEvent} */ event) => scene.choose(each, text, event.detail === 0), { "aria-pressed": String(scene.pending === each) });
      }))),
    !first && legal.length > 0 && !scene.pending && h("p.hint",
      legal.some((each) => each.kind === "discard")
        ? either("You can play no card: choose one to discard.", "No puedes jugar ninguna carta: elige una para descartar.")
        : [t(ui.card ? "choose_cell" : "choose_card"), special(scene).map((each) => ` ${scene.of.names.moves[each].help}`)]),
  ];
}

/** What the chosen card can do beside being placed. @param {Scene} scene */
const special = ({ legal, ui }) => ["cover", "swap"].filter((kind) => legal.some((each) => each.kind === kind && each.params.card === ui.card));

/** @param {Scene} scene @param {any} each */
function plate(scene, each) {
  const { data, me, word } = scene;
  const moves = data.mover === each.seat;
  return h("div", { class: `plate seat-${each.seat}${moves ? " active" : ""}` },
    h("span.name", scene.names[each.seat]),
    h("span.score", { title: word("score") }, each.score),
    h("span.tiny", each.seat === me && `${t("you")} · `, `${each.hand_size} × `, h("span.sleeve", img(word("hand"))),
      each.seat !== me && each.hand?.length > 0 && each.hand.map((one) => card(face(one), img(word(`card_${one}`)))),
      each.seat !== me && !each.hand && each.shown.map((one) => card(face(one), img(word(`card_${one}`))))));
}

/** @param {Scene} scene @param {string} each */
function inHand(scene, each) {
  const { word } = scene;
  const moves = scene.legal.filter((move) => move.params.card === each);
  const discard = moves.find((move) => move.kind === "discard");
  const isChosen = scene.ui.card === each || (discard && scene.pending === discard);
  const given = moves.length === 0 ? img(word(`card_${each}`))
    : pressable(word(`card_${each}`), (byKeyboard) => {
      scene.ui.card = scene.ui.card === each ? null : each;
      if (discard) scene.choose(discard, `${scene.of.names.moves.discard.name}: ` + word(`card_${each}`), byKeyboard);
      else scene.choose(null, "");
      if (byKeyboard) /** @type {SVGElement | null} */ (document.querySelector(".target"))?.focus();
    }, isChosen);
  return card(face(each), { ...given, class: `playing-card${isChosen ? " chosen" : ""}${moves.length === 0 && scene.legal.some((move) => move.params.card) ? " dim" : ""}` });
}

/** @param {Scene} scene */
function board(scene) {
  const { data, ui, legal, word } = scene;
  const targets = legal.filter((each) => each.params.x !== undefined && each.params.card === ui.card);
  const last = scene.log.findLast((each) => PLAYS.includes(each.type))?.data;
  const cells = [...data.board, ...legal.filter((each) => each.params.x !== undefined).map((each) => each.params)];
  if (cells.length === 0) cells.push({ x: 0, y: 0 });
  let [left, right] = [Math.min(...cells.map((each) => each.x)), Math.max(...cells.map((each) => each.x))];
  let [low, high] = [Math.min(...cells.map((each) => each.y)), Math.max(...cells.map((each) => each.y))];
  while (right - left < 4) [left, right] = [left - (right - left) % 2, right + 1 - (right - left) % 2];
  while (data.board.length > 0 && high - low < 2) [low, high] = [low - 1, high + 1];
  const at = (cell) => `translate(${(cell.x - left) * WIDE} ${(high - cell.y) * HIGH})`;
  const columns = right - left + 1;
  const room = Math.min(innerWidth, 760) - 40;
  const zoom = ui.zoom ?? (room / columns < 20 ? 1 : 0); // a card should be readable, however wide the board is
  if (last && ui.seen !== last.score * 100 + last.x) {
    ui.seen = last.score * 100 + last.x;
    requestAnimationFrame(centre);
  }
  return h("div.felt",
    h("div.scroll", { tabindex: zoom > 0 ? 0 : null },
      s("svg", { viewBox: `-30 -12 ${columns * WIDE + 38} ${(high - low + 1) * HIGH + 42}`, class: zoom > 0 ? "reafan-board" : "reafan-board fit", width: zoom > 0 ? columns * [0, 44, 66][zoom] : null, role: "group", "aria-label": word("board") },
        data.board.length > 0 && ticks(left, columns, low, high),
        last && lines(data.board, last, at),
        data.board.map((each) => {
          const isLast = last && last.x === each.x && last.y === each.y;
          return s("g", { transform: at(each), "data-key": `${each.x},${each.y}`, ...img(word(`card_${each.card}`) + ` (${each.x}, ${each.y})`) },
            face(each.card, each.covered.length),
            isLast && s("rect", { x: -2.5, y: -2.5, width: 63, height: 77, rx: 9, class: `latest seat-${last.seat}` }),
            isLast && last.points > 0 && !scene.pending && s("g", { class: `badge seat-${last.seat}`, transform: "translate(52 6)" }, s("circle", { r: 13 }), s("text", { y: 5 }, `+${last.points}`)));
        }),
        targets.map((move) => target(scene, move, at)))),
    h("div.corner",
      h("span", word("deck"), " ", h("strong", data.deck_size)),
      data.discards.length > 0 && h("span", word("discards"), " ", h("strong", data.discards.length)),
      data.is_closed && h("span", word("closed")),
      h("span.zoom",
        button("−", () => { ui.zoom = Math.max(0, zoom - 1); scene.redraw(); }, { "aria-label": either("Smaller", "Más pequeño"), disabled: zoom === 0 }),
        button("+", () => { ui.zoom = Math.min(2, zoom + 1); scene.redraw(); }, { "aria-label": either("Larger", "Más grande"), disabled: zoom === 2 }))));
}

/** Bring the last play into view. */
function centre() {
  const [box, card] = [document.querySelector(".scroll"), document.querySelector(".latest")];
  if (!box || !card) return;
  const [outer, inner] = [box.getBoundingClientRect(), card.getBoundingClientRect()];
  box.scrollBy(inner.x + inner.width / 2 - outer.x - outer.width / 2, inner.y + inner.height / 2 - outer.y - outer.height / 2);
}

/** Draw the lines that the last play scored behind the cards. @param {any[]} cards @param {any} last @param {(cell: any) => string} at */
function lines(cards, last, at) {
  const taken = new Set(cards.map((each) => `${each.x},${each.y}`));
  const reach = (dx, dy) => {
    let far = 0;
    while (taken.has(`${last.x + (far + 1) * dx},${last.y + (far + 1) * dy}`)) far += 1;
    return far;
  };
  const [w, e, n, so] = [reach(-1, 0), reach(1, 0), reach(0, 1), reach(0, -1)];
  return [
    last.row_points > 0 && s("rect", { transform: at({ x: last.x - w, y: last.y }), x: -4, y: -4, width: (w + e) * WIDE + 66, height: 80, rx: 10, class: `run seat-${last.seat}` }),
    last.column_points > 0 && s("rect", { transform: at({ x: last.x, y: last.y + n }), x: -4, y: -4, width: 66, height: (n + so) * HIGH + 80, rx: 10, class: `run seat-${last.seat}` }),
  ];
}

/** Name the columns and the rows as the story does. @param {number} left @param {number} columns @param {number} low @param {number} high */
const ticks = (left, columns, low, high) => [
  ...Array.from({ length: columns }, (_, number) => s("text.tick", { x: number * WIDE + 29, y: (high - low + 1) * HIGH + 20 }, left + number)),
  ...Array.from({ length: high - low + 1 }, (_, number) => s("text.tick", { x: -16, y: number * HIGH + 42 }, high - number))];

/** @param {Scene} scene @param {any} move @param {(cell: any) => string} at */
function target(scene, move, at) {
  const { card: chosen, x, y } = move.params;
  const isPending = scene.pending === move;
  const points = gain(scene.data.board, move.params);
  const text = `${scene.of.names.moves[move.kind].name}: ` + scene.word(`card_${chosen}`) + ` (${x}, ${y}): +${points}`;
  return s("g", { transform: at(move.params), class: `target ${move.kind}${isPending ? " pending" : ""}`, "data-key": `target ${x},${y}`,
    ...pressable(text, (byKeyboard) => scene.choose(move, text, byKeyboard), isPending) },
    isPending ? face(chosen) : null,
    s("rect.spot", { x: 1, y: 1, width: 56, height: 70, rx: 7 }),
    !isPending && move.kind === "place" && s("text.plus", { x: 29, y: 44 }, `+${points}`),
    !isPending && move.kind !== "place" && s("g.exchange", s("circle", { cx: 46, cy: 60, r: 12 }), s("path", { d: move.kind === "swap" ? "M40 57h12l-3-3M52 63H40l3 3" : "M46 53v13M41 61l5 5 5-5" })));
}

/** @type {Drawing} */
export const reafan = {
  kinds: ["mulligan", "place", "cover", "swap", "discard"],
  draw,
  emblem: () => s("svg", { viewBox: "0 0 170 116" },
    s("g", { transform: "translate(12 30) rotate(-8 29 36)" }, face("7h")),
    s("g", { transform: "translate(52 18)" }, face("Qs")),
    s("g", { transform: "translate(94 28) rotate(9 29 36)" }, face("Ad"))),
  steps: [...PLAYS, "reafan.card_discarded"],
  isNoise: (entry) => entry.type === "table.move_played" && entry.data.kind !== "mulligan",
  plot(log) {
    /** @type {[number, number][][]} */
    const points = [[[0, 0]], [[0, 0]]];
    let number = 0;
    for (const each of log) if (PLAYS.includes(each.type)) points[each.data.seat].push([(number += 1), each.data.score]);
    return { name: either("Points", "Puntos"), lines: points.map((each, seat) => ({ seat, points: each })) };
  },
};
