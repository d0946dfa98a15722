/** What a card of Reafan would score: rulebook, chapter 6. */

const WORTH = { J: 10, Q: 10, K: 10 };
const BESIDE = [[1, 0], [-1, 0], [0, 1], [0, -1]];

/** Return the points of a card played at a cell. @param {any[]} board @param {{card: string, x: number, y: number}} play */
export function gain(board, { card, x, y }) {
  if (board.length === 0) return 1;
  const cards = new Map(board.map((each) => [`${each.x},${each.y}`, each.card])).set(`${x},${y}`, card);
  const at = (x, y) => cards.get(`${x},${y}`);
  let points = 0;
  for (const [right, up] of BESIDE.filter(([a, b]) => a + b > 0)) {
    /** @type {number[][]} */
    const line = [];
    let [across, high] = [x, y];
    while (at(across - right, high - up)) [across, high] = [across - right, high - up];
    for (; at(across, high); [across, high] = [across + right, high + up]) line.push([across, high]);
    const worth = (/** @type {number[]} */ [a, b]) => {
      const one = at(a, b);
      if (BESIDE.some(([c, d]) => at(a + c, b + d)?.[0] === "A")) return 0;
      return one[0] === "A" ? line.filter(([c, d]) => at(c, d).at(-1) === one.at(-1)).length : (WORTH[one[0]] ?? parseInt(one));
    };
    const others = line.filter(([a, b]) => a !== x || b !== y);
    const beats = others.every((each) => at(each[0], each[1])[0] !== "Q" && worth(each) < worth([x, y]));
    if (others.length > 0 && (card[0] === "Q" || beats)) points += line.length;
  }
  return points;
}
