/** Arrecife: the ring of players, the kit, and the reckoning of the rounds. */

import { button, h, img, pressable, s } from "../dom.js";
import { called } from "./generic.js";
import { either, t } from "../words.js";
/** @import { Drawing, Scene } from "./index.js" */

const KINDS = ["AB", "12345", "+-"];
const SHOWN = { "-": "−" };

/** Draw a card of 40 by 54. @param {string} card */
function face(card) {
  const kind = KINDS.findIndex((each) => each.includes(card));
  return s("g", { class: `reef-card kind-${kind} is-${card === "+" ? "plus" : card === "-" ? "minus" : card}` },
    s("rect", { width: 40, height: 54, rx: 6 }),
    kind === 0 && s("path.motif", { d: card === "A" ? "M0 46q10-7 20 0t20 0v2q0 6-6 6H6q-6 0-6-6z" : "M6 54v-7q4-8 7 0v-4q4-7 7 0v5q4-9 7 0v-3q3-6 7 1v8z" }),
    s("text", { x: 20, y: 36 }, SHOWN[/** @type {keyof SHOWN} */ (card)] ?? card));
}

const back = () => s("g.reef-card.down", s("rect", { width: 40, height: 54, rx: 6 }), s("path.weave", { d: "M4 18q8-6 16 0t16 0M4 27q8-6 16 0t16 0M4 36q8-6 16 0t16 0" }));
const amulet = () => s("g.amulet", s("path", { d: "M-7-3L-4-8H4L7-3 0 8z" }), s("path.facet", { d: "M-7-3H7M-3-3L0 8 3-3-2-8" }));
const worm = () => s("path.worm", { d: "M-11 7c4-9 7-9 9-3s5 5 6-2 3-10 6-10 4 3 3 6" });

/** @param {Scene} scene */
function draw(scene) {
  const { data, ui, legal, me, word } = scene;
  const abilities = legal.filter((each) => each.kind === "ability");
  if (abilities.length === 0) ui.ability = null;
  const mine = me === null ? null : data.seats[me];
  const over = standing(data);
  return [
    mine && !mine.is_alive && !data.is_over && h("p.alert", either("You have fallen", "Has caído"), ": ", mine.is_worm
      ? data.is_duel ? either("the worm plays cards again, and cannot be struck.", "el gusano vuelve a jugar cartas, y nada le daña.")
        : either("you are the worm now, and lay an ability before each round.", "ahora eres el gusano, y pones una habilidad antes de cada ronda.")
      : either("the worm is whoever fell last.", "el gusano es quien cayó en último lugar.")),
    ring(scene, over),
    over && h("p.status.told", h("b", `${word("round")} ${over.round}: `), word(`verdict_${over.verdict}`), "."),
    abilities.length > 0 && h("div.card", h("p", scene.of.names.moves.ability.help),
      h("div.buttons.even", ["ram", "bite"].map((each) => button(h("span", word(each), h("small", each === "bite" ? `−${data.options.bite_damage} hp` : scene.of.names.options.ram_effect.values[data.options.ram_effect])), () => { ui.ability = each; scene.choose(null, ""); }, { "aria-pressed": String(ui.ability === each) }))),
      ui.ability && h("p.hint", either("Now choose whom: a marked player of the ring.", "Ahora elige a quién: alguien marcado en el círculo."))),
    me !== null && kit(scene),
    data.history.length > 0 && reckoning(scene),
  ];
}

/** Return the round that is over, until somebody, or the viewer, acts in the next one. @param {any} data */
function standing({ history, round, seats, viewer, laid, worm }) {
  const over = history.at(-1);
  if (!over || over.round === round) return over;
  const acts = seats[viewer]?.has_picked || (laid && viewer === worm);
  return acts || seats.some((each) => each.shown.length > 0) ? null : over;
}

/** Return what a round did to the hp of each seat, one after the other. @param {any} data @param {number} number */
function blows({ history, options, seats }, number) {
  const { hp, ability, target } = history[number - 1];
  return seats.map(({ seat }) => {
    const before = number > 1 ? history[number - 2].hp[seat] : options.starting_hp;
    const bitten = ability === "bite" && target === seat ? Math.min(before, options.bite_damage) : 0;
    return [-bitten, hp[seat] - before + bitten].filter(Boolean);
  });
}

/** @param {number} change */
const signed = (change) => (change > 0 ? `+${change}` : `−${-change}`);

/** @param {Scene} scene @param {any} over the round that still lies there */
function ring(scene, over) {
  const { data, me, word } = scene;
  const count = data.seats.length;
  const high = [0, 0, 0, 112, 122, 138, 156, 178][count] ?? 178;
  const places = data.seats.map((_, seat) => {
    const angle = Math.PI / 2 + ((seat - (me ?? 0)) * 2 * Math.PI) / count;
    return [180 + 125 * Math.cos(angle), high + 38 + high * Math.sin(angle)];
  });
  return h("div.reef", s("svg", { viewBox: `0 0 360 ${2 * high + 78}`, class: "ring", role: "group", "aria-label": scene.of.name },
    s("ellipse.track", { cx: 180, cy: high + 38, rx: 125, ry: high }),
    s("g", { transform: `translate(180 ${high + 38})`, class: "hub" },
      s("text.small", { y: -14 }, data.is_duel ? word("duel") : word("round")),
      s("text.big", { y: 18 }, over ? over.round : data.round),
      over ? s("text.small", { y: 38 }, `${over.majority_sum} : ${over.minority_sum}`) : s("g", img(`${word("reveal")} ${data.reveal || "–"}/3`),
        [1, 2, 3].map((each) => s("circle", { cx: (each - 2) * 16, cy: 34, r: 5, class: each < data.reveal ? "done" : each === data.reveal ? "now" : "" })))),
    data.seats.map((each) => seatAt(scene, each, places[each.seat], over))));
}

/** @param {Scene} scene @param {any} each @param {number[]} place @param {any} over */
function seatAt(scene, each, [x, y], over) {
  const { data, ui, word } = scene;
  const start = data.options.starting_hp;
  const shown = over ? [...over.cards[each.seat]] : each.shown;
  const hurt = over ? blows(data, data.history.length)[each.seat] : [];
  const team = shown.find((card) => "AB".includes(card));
  const isOut = !each.is_alive && !each.is_worm;
  const plays = over ? shown.length > 0 : data.players.includes(each.seat);
  const move = scene.legal.find((one) => one.kind === "ability" && one.params.ability === ui.ability && one.params.target === each.seat);
  const name = (each.has_left ? `${t("gone")}: ` : "") + called(scene, each.seat);
  const told = [name, `${each.hp} hp`, each.is_worm && word("worm"), data.amulet === each.seat && word("amulet"),
    ...hurt.map(signed), ...shown.map((card) => word(`card_${card}`)), each.has_picked && word("has_picked")].filter(Boolean).join(", ");
  const circle = 2 * Math.PI * 17;
  const slots = [...shown.map((card) => face(card)), over ? null : each.pick ? face(each.pick) : each.has_picked ? back() : null].filter(Boolean).slice(0, 3);
  return s("g", { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, "data-key": each.seat,
    class: `player${isOut ? " out" : ""}${each.seat === scene.me ? " me" : ""}${team ? " team-" + team : ""}${scene.awaited.includes(each.seat) ? " awaited" : ""}${move ? " aim" : ""}${scene.pending && scene.pending === move ? " pending" : ""}`,
    ...(move ? pressable(told, (byKeyboard) => scene.choose(move, `${word(ui.ability)}: ${name}`, byKeyboard), scene.pending === move) : img(told)) },
    s("rect.seat-back", { x: -52, y: -33, width: 104, height: 64, rx: 12 }),
    s("text.name", { x: -45, y: -18 }, name.length > 13 ? `${name.slice(0, 12)}…` : name),
    s("g", { transform: "translate(-31 6)" },
      s("circle.hp-back", { r: 17 }),
      s("circle", { r: 17, class: each.hp * 3 <= start ? "hp low" : "hp", transform: "rotate(-90)", "stroke-dasharray": `${(circle * each.hp) / start} ${circle}` }),
      each.is_worm ? worm() : s("text.points", { y: 6 }, isOut ? "✕" : each.hp),
      data.amulet === each.seat && s("g", { transform: "translate(-14 -14)" }, amulet())),
    plays && [0, 1, 2].map((at) => s("g", { transform: `translate(${-11 + at * 20.5} -9) scale(.49 .56)` },
      slots[at] ?? s("rect.slot", { width: 40, height: 54, rx: 6 }))),
    hurt.length > 0 && s("g", { transform: `translate(${52 - 15 * hurt.length} -24)` }, hurt.map((one, at) => s("g", { transform: `translate(${at * 30} 0)`, class: one < 0 ? "blow" : "blow heals" }, s("rect", { x: -14, y: -10, width: 28, height: 20, rx: 10 }), s("text", { y: 5 }, signed(one))))),
    !over && data.laid?.target === each.seat && s("g.laid", { transform: "translate(33 -37) scale(.4)" }, back(), s("g", { transform: "translate(20 27) scale(1.6)" }, worm())));
}

/** @param {Scene} scene */
function kit(scene) {
  const { word } = scene;
  const mine = scene.data.seats[/** @type {number} */ (scene.me)];
  if (mine.hand.length === 0 || scene.data.is_over) return null;
  const picks = scene.legal.filter((each) => each.kind === "pick");
  return h("div.kit", { role: "group", tabindex: -1, "aria-label": word("hand"), "data-arrows": true },
    KINDS.map((kind, at) => h("div.group",
      h("small", word(["team", "value", "sign"][at])),
      h("div", [...kind].filter((each) => mine.hand.includes(each)).map((each) => {
        const move = picks.find((one) => one.params.card === each);
        const isChosen = (move && scene.pending === move) || mine.pick === each;
        const label = word(`card_${each}`);
        return s("svg", { viewBox: "-2 -2 44 58", class: `kit-card${isChosen ? " chosen" : ""}${move || isChosen ? "" : " dim"}`,
          ...(move ? pressable(label, (byKeyboard) => scene.choose(move, `${scene.of.names.moves.pick.name}: ${label}`, byKeyboard), isChosen) : img(label)) }, face(each));
      })))),
    picks.length > 0 && !scene.pending && h("p.hint", scene.of.names.moves.pick.help),
    mine.has_picked && h("p.hint", mine.pick ? `${word("has_picked")}: ` + word(`card_${mine.pick}`) : word("has_picked")));
}

/** Tell one round step by step: teams, sums, verdict, what it cost. @param {Scene} scene */
function reckoning(scene) {
  const { data, ui, word } = scene;
  const number = Math.min(ui.round ?? data.history.length, data.history.length);
  const past = data.history[number - 1];
  const changes = blows(data, number);
  const told = scene.log.find((each) => each.type === "arrecife.round_resolved" && each.data.round === number)?.data;
  const side = (which) => {
    const seats = past[which];
    const sum = past[`${which}_sum`];
    return h("div", { class: `side ${past.struck.some((each) => seats.includes(each)) ? "struck" : past.healed.some((each) => seats.includes(each)) ? "healed" : ""}` },
      h("h4", word(which), h("span.sum", sum)),
      h("ul", seats.map((seat) => {
        return h("li", h("span.grow", past.amulet === seat && h("span", img(word("amulet")), "◆ "), called(scene, seat)),
          s("svg", { viewBox: "0 0 132 54", class: "three", ...img([...past.cards[seat]].map((each) => word(`card_${each}`)).join(", ")) },
            [...past.cards[seat]].sort((a, b) => KINDS.join("").indexOf(a) - KINDS.join("").indexOf(b)).map((each, at) => s("g", { transform: `translate(${at * 45} 0)` }, face(each)))),
          changes[seat].length === 0 ? h("b", "0") : changes[seat].map((one) => h("b", { class: one < 0 ? "minus" : "plus" }, signed(one))));
      })));
  };
  return h("section.card.reckoning",
    h("div.line", h("h3.grow", `${word("round")} ${number}`),
      button("‹", () => { ui.round = Math.max(1, number - 1); scene.redraw(); }, { "aria-label": t("previous"), disabled: number === 1 }),
      button("›", () => { ui.round = number + 1 >= data.history.length ? undefined : number + 1; scene.redraw(); }, { "aria-label": t("next"), disabled: number === data.history.length })),
    h("div.sides", side("majority"), side("minority")),
    h("ol.steps",
      told && told.settled_by !== "size" && h("li", word(`settled_by_${told.settled_by}`), "."),
      past.ability && h("li", `${word(past.ability)}: ${called(scene, past.target)}.`),
      h("li", `${word("majority_sum")}: ${past.majority_sum}; ${word("minority_sum")}: ${past.minority_sum}; ${word("hands")}: ${past.cards.filter(Boolean).length}.`),
      h("li", h("strong", word(`verdict_${past.verdict}`), ".")),
      told?.is_rebound && h("li", word("rebound"), "."),
      past.struck.length > 0 && h("li", `${word("struck")}: ${past.struck.map((each) => called(scene, each)).join(", ")}.`)));
}

/** @type {Drawing} */
export const arrecife = {
  kinds: ["pick", "ability"],
  draw,
  emblem: () => s("svg", { viewBox: "0 0 170 116" },
    s("g", { transform: "translate(16 40) rotate(-10 20 27)" }, face("A")),
    s("g", { transform: "translate(50 26) rotate(-3 20 27)" }, face("4")),
    s("g", { transform: "translate(88 26) rotate(4 20 27)" }, face("-")),
    s("g", { transform: "translate(122 40) rotate(11 20 27)" }, face("B")),
    s("g", { transform: "translate(85 96) scale(1.3)" }, amulet())),
  steps: ["arrecife.cards_revealed", "arrecife.round_resolved"],
  isNoise: (entry) => entry.type === "table.move_played" && entry.data.kind === "pick",
  plot(log, seats) {
    const rounds = log.filter((each) => each.type === "arrecife.round_resolved").map((each) => each.data);
    return { name: "hp", lines: Array.from({ length: seats }, (_, seat) => ({ seat, points: rounds.map((each) => [each.round, each.hp[seat]]) })) };
  },
};
