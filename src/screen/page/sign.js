// The field to sign in. The drawing stays here until it is complete.
import { button, element, icon } from './element.js';
import { addPoint, limits, lineOf, pointsOf } from './strokes.js';
/** @import { Attributes, OnAction, Strokes, View, Words } from './types.ts' */

/** @typedef {{ field: SVGGraphicsElement, pointer: number, isOpen: boolean }} Drawing */

/**
 * Each stroke: x, y, x, y … Kept when the page is redrawn.
 * @type {Strokes}
 */
let strokes = [];
/**
 * The finger or the mouse that draws now.
 * @type {Drawing | undefined}
 */
let drawing;

export function clearSignature() {
  strokes = [];
  drawing = undefined;
}

/**
 * The field, with the customer's buttons.
 * @type {(words: Words, onAction: OnAction) => HTMLElement}
 */
export function sign(words, onAction) {
  const field = svg('svg', { id: 'field', viewBox: `0 0 ${limits.width} ${limits.height}`, role: 'img' });
  field.setAttribute('aria-label', words.signature.field);
  const line = svg('path', { class: 'drawn', d: lineOf(strokes) });
  field.append(svg('path', { class: 'guide', d: 'M16 104l10 -10m0 10l-10 -10M36 104h324' }), line);
  const done = tile('done', 'yes', words.buttons.doneSigning, () => onAction({ kind: 'sign', strokes }));
  const clear = tile('clear', 'erase', words.buttons.clearSignature, () => {
    clearSignature();
    refresh();
  });
  const refresh = () => {
    line.setAttribute('d', lineOf(strokes));
    done.disabled = pointsOf(strokes) < limits.pointsMin;
    clear.disabled = strokes.length === 0;
  };
  refresh();
  listen(field, refresh);
  return panel(field, clear, paperTile(words, onAction), done);
}

/**
 * The drawing, with the merchant's buttons.
 * @type {(view: View, words: Words, onAction: OnAction) => HTMLElement}
 */
export function checkSignature({ signature = [] }, words, onAction) {
  const field = svg('svg', { id: 'field', viewBox: `0 0 ${limits.width} ${limits.height}`, role: 'img' });
  field.setAttribute('aria-label', words.signature.drawn);
  field.append(svg('path', { class: 'drawn', d: lineOf(signature) }));
  const again = tile('again', 'again', words.buttons.signAgain, () => onAction({ kind: 'signAgain' }));
  const accept = tile('accept', 'yes', words.buttons.acceptSignature, () => onAction({ kind: 'acceptSignature' }));
  return panel(field, again, paperTile(words, onAction), accept);
}

/** @type {(field: SVGElement, ...tiles: HTMLElement[]) => HTMLElement} */
function panel(field, ...tiles) {
  return element('div', { id: 'signature' }, field, element('div', { class: 'signing' }, ...tiles));
}

/** @type {(words: Words, onAction: OnAction) => HTMLElement} */
function paperTile(words, onAction) {
  return tile('paper', 'receipt', words.buttons.signOnPaper, () => onAction({ kind: 'signOnPaper' }));
}

/** @type {(action: string, drawn: string, label: string, onPress: () => void) => HTMLButtonElement} */
function tile(action, drawn, label, onPress) {
  return button({ class: 'tile', 'data-action': action }, onPress, icon(drawn), element('span', {}, label));
}

/** @type {(field: SVGGraphicsElement, refresh: () => void) => void} */
function listen(field, refresh) {
  field.addEventListener('pointerdown', (event) => {
    // A second finger draws nothing.
    if (drawing?.field === field || event.button !== 0) return;
    drawing = { field, pointer: event.pointerId, isOpen: false };
    field.setPointerCapture(event.pointerId);
    draw(drawing, event);
    refresh();
  });
  field.addEventListener('pointermove', (event) => {
    if (!drawing || !draws(field, event)) return;
    // A browser reports several points at once.
    const all = event.getCoalescedEvents?.() ?? [];
    for (const each of all.length > 0 ? all : [event]) draw(drawing, each);
    refresh();
  });
  for (const name of /** @type {const} */ (['pointerup', 'pointercancel', 'lostpointercapture'])) {
    field.addEventListener(name, (event) => {
      if (draws(field, event)) drawing = undefined;
    });
  }
}

/** @type {(field: SVGGraphicsElement, event: PointerEvent) => boolean} */
function draws(field, { pointerId }) {
  return drawing?.field === field && drawing.pointer === pointerId;
}

/**
 * Adds a point. Outside the field the stroke ends, and inside again another begins.
 * @type {(drawn: Drawing, event: PointerEvent) => void}
 */
function draw(drawn, { clientX, clientY }) {
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(drawn.field.getScreenCTM()?.inverse());
  drawn.isOpen = addPoint(strokes, Math.floor(x), Math.floor(y), drawn.isOpen);
}

/**
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} attributes
 * @returns {SVGElementTagNameMap[Name]}
 */
function svg(name, attributes) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}
