import { $, button, element, partsOf, show } from './element.js';
import { post } from './call.js';
/** @import { FaultPath, Requests, Switches } from './types.ts' */

/** @type {HTMLElement[]} */
const boxes = [];
const heardMs = 2500;

/**
 * A device's faults in a collapsible box. `switches`: fault → label, on until switched off. `next`: [label, body] of
 * faults of only the next frame, code or card. The state does not show these, so the button confirms the call. Returns
 * a function that shows the switches of a state.
 * @template {FaultPath} P
 * @param {HTMLElement} box
 * @param {string} name
 * @param {P} path
 * @param {{ readonly switches: Switches<P>, readonly next: readonly (readonly [string, Requests[P]])[] }} faults
 * @returns {(on: Readonly<Record<string, boolean>>) => void}
 */
export function makeFaults(box, name, path, { switches, next }) {
  const summary = element('summary', `${name} faults`);
  const count = element('span', '', 'pill bad');
  summary.append(' ', count);
  const faultButtons = element('p', '', 'switches');
  for (const [fault, label = ''] of Object.entries(switches)) {
    const made = button(label, async () => {
      const on = made.ariaPressed !== 'true';
      // The switches are named as the fields of the call.
      const body = /** @type {Requests[P]} */ ({ [fault]: on });
      if (await post(path, body, `${name}, ${label}`)) press(box, { [fault]: on });
    });
    made.dataset.fault = fault;
    made.ariaPressed = 'false';
    faultButtons.append(made);
  }
  const once = element('p', 'Once: ', 'switches');
  for (const [label, body] of next) once.append(oneTime(label, () => post(path, body, `${name}, ${label}`)));
  box.append(summary, faultButtons, ...(next.length > 0 ? [once] : []));
  boxes.push(box);
  press(box, {});
  return (on) => press(box, on);
}

/** @type {(label: string, act: () => Promise<object | undefined>) => HTMLElement} */
function oneTime(label, act) {
  return button(label, async (made) => sayHeard(made, await act()));
}

/**
 * The button confirms an answered call for a moment.
 * @type {(made: HTMLElement, answer: object | undefined) => void}
 */
export function sayHeard(made, answer) {
  if (!answer) return;
  made.dataset.heard = 'true';
  setTimeout(() => {
    made.dataset.heard = 'false';
  }, heardMs);
}

/** Clears all faults after a reset, also those that the state does not show. */
export function clearFaults() {
  for (const box of boxes) {
    const off = partsOf('[data-fault]', box).map((each) => [each.dataset.fault ?? '', false]);
    press(box, Object.fromEntries(off));
  }
}

/** @type {(box: HTMLElement, on: Readonly<Record<string, boolean>>) => void} */
function press(box, on) {
  const all = partsOf('[data-fault]', box);
  for (const each of all) {
    const known = on[each.dataset.fault ?? ''];
    if (known !== undefined) each.ariaPressed = String(known);
  }
  const pressed = all.filter((each) => each.ariaPressed === 'true').length;
  const count = $('summary .pill', box);
  show(count, String(pressed));
  count.hidden = pressed === 0;
}
