/** @import { Attributes, Child } from './types.ts' */

/**
 * `attributes`: by their HTML names, including data-….
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/**
 * A drawing of index.html, by the name of its symbol.
 * @type {(name: string) => SVGElement}
 */
export function icon(name) {
  const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  drawing.setAttribute('class', 'icon');
  drawing.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', `#icon-${name}`);
  drawing.append(use);
  return drawing;
}

/** @type {(attributes: Attributes, onPress: () => void, ...children: Child[]) => HTMLButtonElement} */
export function button(attributes, onPress, ...children) {
  const made = element('button', { type: 'button', ...attributes }, ...children);
  made.addEventListener('click', onPress);
  return made;
}

/**
 * `keeps`: unchanged elements stay, so that a touch on them and the keyboard focus are not lost.
 * @type {(place: Element, children: readonly Element[], keeps?: boolean) => void}
 */
export function fill(place, children, keeps) {
  const same = children.length === place.children.length;
  if (keeps && same && children.every((each, index) => each.isEqualNode(place.children[index] ?? null))) return;
  place.replaceChildren(...children);
}

/**
 * An element of index.html.
 * @type {(id: string) => HTMLElement}
 */
export function part(id) {
  return partOf(id, HTMLElement);
}

/**
 * The same, of a certain class.
 * @template {Element} Part
 * @param {string} id
 * @param {new () => Part} type
 * @returns {Part}
 */
export function partOf(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${type.name} with the id ${id}`);
  return found;
}
