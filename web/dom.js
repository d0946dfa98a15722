/**
 * Elements, and a page that changes only where something is different: focus, scroll and open
 * details stay.  No text ever becomes markup.
 */

const SVG = "http://www.w3.org/2000/svg";

/** Return an HTML element: `h("p.quiet", { onclick }, "text")`.  `on…` are handlers, a false or missing
 * value leaves an attribute out; so does leaving the attributes out.
 * @param {string} tag with its classes @param {...any} rest attributes and children @returns {HTMLElement} */
export function h(tag, ...rest) {
  const [name, ...classes] = tag.split(".");
  return /** @type {HTMLElement} */ (made(document.createElement(name), classes, rest));
}

/** Return an SVG element, likewise.
 * @param {string} tag @param {...any} rest @returns {SVGElement} */
export function s(tag, ...rest) {
  const [name, ...classes] = tag.split(".");
  return /** @type {SVGElement} */ (made(document.createElementNS(SVG, name), classes, rest));
}

/** @param {Element} element @param {string[]} classes @param {any[]} rest */
function made(element, classes, rest) {
  const given = rest[0]?.constructor === Object ? rest.shift() : {};
  if (classes.length > 0) given.class = [...classes, given.class ?? ""].join(" ").trim();
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on") || name === "value") /** @type {any} */ (element)[name] = value;
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of rest.flat(Infinity)) if (child !== false && child != null) element.append(child);
  return element;
}

const HANDLERS = ["onclick", "onkeydown", "onsubmit", "oninput", "onchange", "ontoggle"];

/** Make the children of `target` those given, keeping every element that is still the same.
 * @param {Element} target @param {...any} children */
export function show(target, ...children) {
  const next = document.createDocumentFragment();
  for (const child of children.flat(Infinity)) if (child !== false && child != null) next.append(child);
  become(target, next);
}

/** @param {Node} old @param {Node} next */
function become(old, next) {
  const kept = new Map();
  for (const child of old.childNodes) {
    const key = keyOf(child);
    if (key !== null) kept.set(key, child);
  }
  /** @type {ChildNode | null} */
  let at = old.firstChild;
  for (const wanted of [...next.childNodes]) {
    const key = keyOf(wanted);
    const found = key === null ? at : (kept.get(key) ?? null);
    if (found === null || !isAlike(found, wanted) || (key === null && keyOf(found) !== null)) {
      old.insertBefore(wanted, at);
      continue;
    }
    if (found === at) at = found.nextSibling;
    else old.insertBefore(found, at);
    refresh(found, wanted);
  }
  while (at !== null) {
    /** @type {ChildNode | null} */
    const following = at.nextSibling;
    at.remove();
    at = following;
  }
}

/** @param {Node} node */
const keyOf = (node) => (node instanceof Element ? node.getAttribute("data-key") : null);

/** @param {Node} a @param {Node} b */
function isAlike(a, b) {
  return a.nodeName === b.nodeName && a.nodeType === b.nodeType && keyOf(a) === keyOf(b);
}

/** @param {any} old @param {any} next */
function refresh(old, next) {
  if (!(old instanceof Element)) {
    if (old.data !== next.data) old.data = next.data;
    return;
  }
  const open = old.nodeName === "DETAILS"; // whether it is open is for the reader to say
  for (const { name } of [...old.attributes]) {
    if (!next.hasAttribute(name) && !(open && name === "open")) old.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (old.getAttribute(name) !== value && !(open && name === "open")) old.setAttribute(name, value);
  }
  for (const each of HANDLERS) /** @type {any} */ (old)[each] = next[each];
  if (old.nodeName === "INPUT" && /** @type {any} */ (old).type === "range" && document.activeElement !== old) {
    /** @type {any} */ (old).value = next.value;
  }
  become(old, next);
}

/** Return attributes that make an SVG group a button, for pointer, keyboard and screen reader.
 * @param {string} label @param {(byKeyboard: boolean) => void} act @param {boolean} [isPressed] */
export function pressable(label, act, isPressed) {
  return {
    role: "button",
    tabindex: 0,
    "aria-label": label,
    "aria-pressed": isPressed === undefined ? null : String(isPressed),
    onclick: () => act(false),
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        act(true);
      } else step(event);
    },
  };
}

/** Return attributes that make an element a picture with a name. @param {string} label */
export const img = (label) => ({ role: "img", "aria-label": label });

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Move the focus to the nearest button of the same drawing in the direction of an arrow key.
 * @param {KeyboardEvent} event */
function step(event) {
  const way = WAYS[/** @type {keyof WAYS} */ (event.key)];
  const from = /** @type {Element} */ (event.currentTarget);
  const all = (from.closest("[data-arrows]") ?? from.closest("svg"))?.querySelectorAll("[role=button]");
  if (!way || !all) return;
  event.preventDefault();
  const here = middle(from);
  let best = null;
  let least = Infinity;
  for (const each of all) {
    const [x, y] = middle(each);
    const along = (x - here[0]) * way[0] + (y - here[1]) * way[1];
    const aside = Math.abs((x - here[0]) * way[1]) + Math.abs((y - here[1]) * way[0]);
    const far = along + 2.5 * aside;
    if (along > 4 && far < least) [best, least] = [each, far];
  }
  /** @type {SVGElement | null} */ (best)?.focus();
}

/** @param {Element} element */
function middle(element) {
  const box = element.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** @param {() => void} act */
export const button = (text, /** @type {(event: any) => any} */ act, /** @type {Record<string, any>} */ given = {}) =>
  h("button", { type: "button", onclick: act, ...given }, text);

/** Save a text as a file. @param {string} name @param {Blob} blob */
export function save(name, blob) {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
