/** Don't Mess with Cthulhu: rows of face-down cards, what is declared, what has come to light. */

import { button, h, img, pressable, s } from "../dom.js";
import { called } from "./generic.js";
import { either, t } from "../words.js";
/** @import { Drawing, Scene } from "./index.js" */

/** Draw what a card of 54 by 74 shows. @param {string} kind */
function face(kind) {
  return [s("rect", { width: 54, height: 74, rx: 7, class: `lore ${kind}` }), s("g", { transform: "translate(27 37)", class: `sigil ${kind}` }, SIGILS[/** @type {keyof SIGILS} */ (kind)]())];
}

const SIGILS = {
  elder_sign: () => [
    s("path", { d: "M0-20L5.500-6.500 20-6 8.500 3 12.500 17.500 0 9.500-12.500 17.500-8.500 3-20-6-5.500-6.500z" }),
    s("ellipse.eye", { rx: 6.5, ry: 4 }), s("circle.pupil", { r: 2.2 })],
  cthulhu: () => [
    s("path", { d: "M0-24c11 0 17 8 17 17 0 6-3 9-3 12 0 6 5 8 5 14-4 0-7-3-8-7-1 5 1 8-1 12-4-2-5-6-5-10-1 4-1 9-5 11-4-2-4-7-5-11 0 4-1 8-5 10-2-4 0-7-1-12-1 4-4 7-8 7 0-6 5-8 5-14 0-3-3-6-3-12 0-9 6-17 17-17z" }),
    s("path.eye", { d: "M-10-6l7 3-5 4zM10-6l-7 3 5 4z" })],
  futile: () => [s("circle.glass", { cx: -3, cy: -4, r: 11 }), s("path.grip", { d: "M5 4l11 12" }), s("path.glass", { d: "M-7-4h8" })],
};

const back = () => [s("rect.lore.down", { width: 54, height: 74, rx: 7 }), s("rect.weave", { x: 5, y: 5, width: 44, height: 64, rx: 4 }),
  s("path.weave", { d: "M10 37q17-18 34 0-17 18-34 0z" }), s("circle.weave", { cx: 27, cy: 37, r: 6 })];

/** @param {string} kind @param {string} label */
const small = (kind, label) => s("svg", { viewBox: "-2 -2 58 78", class: "lore-small", ...(label ? img(label) : { "aria-hidden": "true" }) }, face(kind));

/** @param {Scene} scene */
function draw(scene) {
  const { data, legal } = scene;
  const declares = legal.filter((each) => each.kind === "declare");
  const must = data.phase === "declaring" && scene.me !== null && scene.awaited.includes(scene.me);
  const form = declares.length > 0 && declaring(scene, declares);
  return h("div.abyss",
    counters(scene),
    mine(scene),
    form && must && h("div.card.declare", form),
    legal.some((each) => each.kind === "investigate") && !scene.pending && h("p.hint", scene.of.names.moves.investigate.help),
    h("div.rows", { tabindex: -1, "data-arrows": true }, order(scene).map((seat) => row(scene, data.seats[seat]))),
    form && !must && h("details.card.declare", h("summary", data.phase === "declaring" ? either("Declare ahead of your turn (sealed until then)", "Declarar por adelantado (en sobre cerrado)") : either("Declare this round (optional)", "Declarar en esta ronda (opcional)")), form),
    history(scene));
}

/** Others first, clockwise from me; my own row last, near my thumb. @param {Scene} scene */
function order({ data, me }) {
  const count = data.seats.length;
  return Array.from({ length: count }, (_, at) => ((me ?? -1) + 1 + at) % count);
}

/** @param {Scene} scene */
function counters(scene) {
  const { data } = scene;
  const pips = (done, all) => Array.from({ length: all }, (_, at) => h("i", { class: at < done ? "pip full" : "pip" }));
  return h("div.counters",
    h("div", h("small", scene.word("kind_elder_sign")), h("span", img(`${data.revealed.elder_signs}/${data.deck.elder_signs}`),
      Array.from({ length: data.deck.elder_signs }, (_, at) => s("svg", { viewBox: "-22 -24 44 46", class: at < data.revealed.elder_signs ? "star found" : "star" }, s("g.sigil.elder_sign", SIGILS.elder_sign()))))),
    h("div", h("small", scene.word("round")), h("span", img(`${data.round}/4`), pips(data.round, 4))),
    h("div", h("small", either("this round", "esta ronda")), h("span", img(`${data.investigations}/${data.seats.length}`), pips(data.investigations, data.seats.length))));
}

/** @param {Scene} scene */
function mine(scene) {
  const { word } = scene;
  if (scene.me === null || scene.data.is_over) return null;
  const own = scene.data.seats[scene.me];
  if (!own.role) return null;
  return h("div", { class: `role-card ${own.role}` },
    h("div.grow", h("small", either("You are", "Eres")), h("strong", word(`role_${own.role}`)),
      h("small", own.role === "cultist" ? either("Let Cthulhu be found, or the rounds run out.", "Que aparezca Cthulhu o se agoten las rondas.") : either("Find all elder signs before the fourth round ends.", "Encontrad todos los signos antes de acabar la cuarta ronda."))),
    own.remaining && h("div.line", { title: word("remaining") }, [["elder_sign", own.remaining.elder_signs], ["cthulhu", own.remaining.cthulhu], ["futile", own.remaining.futile]].map(([kind, count]) =>
      h("span", { class: count === 0 ? "held none" : "held" }, small(kind, ""), `×${count}`, h("small", word(`kind_${kind}`))))));
}

/** @param {Scene} scene @param {any} each */
function row(scene, each) {
  const { data, word } = scene;
  const now = data.rounds.at(-1);
  const shown = new Map(now.reveals.filter((one) => one.target === each.seat).map((one) => [one.place, one.kind]));
  const [latest, heard] = [now.reveals.at(-1), now.declarations.at(-1)];
  const active = data.active === each.seat && data.phase === "investigating";
  const said = each.told === "shown" || (each.statement && each.told === "sealed");
  return h("div", { role: "group", class: `lore-row${active ? " active" : ""}${each.seat === scene.me ? " me" : ""}`, "data-key": each.seat, "aria-label": scene.names[each.seat] },
    h("header",
      h("span.name", active && s("svg", { viewBox: "0 0 20 20", class: "lamp", ...img(word("active")) }, s("path", { d: "M10 1c4 4 5 7 5 9a5 5 0 0 1-10 0c0-3 3-4 5-9z" }), s("path", { d: "M7 16h6v3H7z" })),
        h("span", called(scene, each.seat))),
      each.has_left && h("span.chip", t("gone")),
      data.is_over && each.role && h("span", { class: `chip ${each.role}` }, word(`role_${each.role}`)),
      data.is_series && each.tokens > 0 && h("span.chip", `${word("tokens")} ${each.tokens}`),
      h("span", { class: `bubble${said ? "" : " none"}${!latest && heard?.seat === each.seat ? " fresh" : ""}` }, said
        ? [h("span", `“${each.statement.elder_signs}`), s("svg", { viewBox: "-22 -24 44 46", class: "star found", ...img(word("kind_elder_sign")) }, s("g.sigil.elder_sign", SIGILS.elder_sign())),
          h("span", each.statement.cthulhu), s("svg", { viewBox: "-22 -26 44 52", class: "star", ...img(word("kind_cthulhu")) }, s("g.sigil.cthulhu", SIGILS.cthulhu())), "”", each.told === "sealed" && ` (${word("told_sealed")})`]
        : word(`told_${each.told}`))),
    s("svg", { viewBox: "-4 -4 302 82", class: "cards", role: "group", "aria-label": word("face_down") },
      Array.from({ length: now.cards }, (_, place) => place_(scene, each, place, shown.get(place), now.places?.[each.seat]?.[place], latest?.target === each.seat && latest.place === place))));
}

/** @param {Scene} scene @param {any} each @param {number} place @param {string | undefined} kind @param {string | undefined} late @param {boolean} isLatest */
function place_(scene, each, place, kind, late, isLatest) {
  const { word } = scene;
  const move = scene.legal.find((one) => one.kind === "investigate" && one.params.target === each.seat && one.params.place === place);
  const name = called(scene, each.seat);
  const label = `${name}, ${word("place")} ${place + 1}: ` + word(kind || late ? `kind_${kind ?? late}` : "face_down");
  const isPending = move !== undefined && scene.pending === move;
  return s("g", { transform: `translate(${place * 60} 0)`, "data-key": place, class: `spot-card${isLatest ? " fresh" : ""}${move ? " may" : ""}${isPending ? " pending" : ""}${late && !kind ? " late" : ""}`,
    ...(move ? pressable(label, (byKeyboard) => scene.choose(move, `${scene.of.names.moves.investigate.name}: ${name}, ${word("place")} ${place + 1}`, byKeyboard), isPending) : img(label)) },
    kind ? face(kind) : late ? face(late) : back());
}

/** @param {Scene} scene @param {any[]} moves */
function declaring(scene, moves) {
  const { ui, word } = scene;
  const most = Math.max(...moves.map((each) => each.params.elder_signs));
  if (ui.deal !== scene.data.game * 9 + scene.data.round) Object.assign(ui, { deal: scene.data.game * 9 + scene.data.round, signs: null, evil: null });
  const found = () => moves.find((each) => each.params.elder_signs === ui.signs && each.params.cthulhu === ui.evil);
  const pick = (name, value) => {
    ui[name] = value;
    if (ui.signs !== null && ui.evil !== null && !found()) ui[name === "evil" ? "signs" : "evil"] -= 1; // there are no more cards
    scene.choose(null, "");
  };
  const steps = (name, top) => Array.from({ length: top + 1 }, (_, value) =>
    button(value, () => pick(name, value), { "aria-pressed": String(ui[name] === value), class: "digit" }));
  const text = `${scene.of.names.moves.declare.name}: ${ui.signs} × ${word("kind_elder_sign")}, ${ui.evil} × ${word("kind_cthulhu")}`;
  return [
    h("p", h("strong", either("What do you say you were dealt?", "¿Qué dices que te ha tocado?")), " ", h("small", either("It may be a lie.", "Puede ser mentira."))),
    h("div.line.wrap", { role: "group", "aria-label": word("kind_elder_sign") }, small("elder_sign", ""), h("small.grow", word("kind_elder_sign")), steps("signs", most)),
    h("div.line.wrap", { role: "group", "aria-label": word("kind_cthulhu") }, small("cthulhu", ""), h("small.grow", word("kind_cthulhu")), steps("evil", 1)),
    h("div.line", h("span.grow"), button(scene.of.names.moves.declare.name, () => scene.choose(found(), text, true), { class: "main", disabled: !found() })),
  ];
}

/** @param {Scene} scene */
function history(scene) {
  const { word } = scene;
  const rounds = scene.data.rounds.filter((each) => each.reveals.length + each.declarations.length > 0);
  if (rounds.length === 0) return null;
  return h("details.card.history", h("summary", either("What has come to light", "Lo que ha salido a la luz")),
    rounds.map((each) => h("div", { "data-key": each.round }, h("h4", `${word("round")} ${each.round}`),
      h("p.quiet", each.declarations.map((one) => `${called(scene, one.seat)}: ` + (one.elder_signs === null ? word("told_silence") : `${one.elder_signs} ★ ${one.cthulhu ? "+ Cthulhu" : ""}`)).join(" · ")),
      h("ol.reveals", each.reveals.map((one) => h("li", small(one.kind, word(`kind_${one.kind}`)), h("small", `${called(scene, one.seat)} → ${called(scene, one.target)}`)))))));
}

/** @type {Drawing} */
export const cthulhu = {
  kinds: ["investigate", "declare"],
  draw,
  emblem: () => s("svg", { viewBox: "0 0 170 116" },
    s("g", { transform: "translate(16 28) rotate(-9 27 37)" }, back()),
    s("g", { transform: "translate(58 18)" }, face("cthulhu")),
    s("g", { transform: "translate(100 28) rotate(9 27 37)" }, face("elder_sign"))),
  steps: ["cthulhu.declared", "cthulhu.card_revealed"],
  sweeps: ["cthulhu.cards_laid", "cthulhu.game_ended"],
  side: (data, word) => (data.is_series || !data.side ? null : word(`side_${data.side}`)),
  isNoise: (entry) => entry.type === "table.move_played" && entry.data.kind === "investigate",
  plot(log) {
    let [signs, all, before] = [0, 0, 0];
    const claims = new Map(); // of this round, by seat
    /** @type {[number, number][][]} */
    const [found, told] = [[[0, 0]], []];
    for (const { type, data } of log) {
      if (type === "cthulhu.roles_dealt") [signs, before] = [0, 0]; // the next game of a series
      if (type === "cthulhu.cards_laid") [before] = [signs, claims.clear()];
      if (type === "cthulhu.declared") claims.set(data.seat, data.declaration?.params?.elder_signs ?? 0);
      if (type !== "cthulhu.card_revealed") continue;
      if (data.card?.kind === "elder_sign") signs += 1;
      found.push([(all += 1), signs]);
      told.push([all, before + [...claims.values()].reduce((sum, each) => sum + each, 0)]);
    }
    return { name: either("Elder signs", "Signos ancestrales"), lines: [{ seat: 0, name: either("found", "hallados"), points: found }, { seat: 1, name: either("declared", "declarados"), points: told }] };
  },
};
