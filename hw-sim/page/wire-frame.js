import { $, element, show } from './element.js';
/** @import { ShownField, ShownWhole } from './types.ts' */

/** @typedef {(at: number, length: number, scroll: boolean) => void} Mark */

const rowBytes = 8;

/**
 * One frame: its fields, and beside them its bytes. A field that is pointed at marks its bytes, and the other way
 * round.
 * @type {(frame: ShownWhole, about: string) => void}
 */
export function showFrame(frame, about) {
  $('#wire-frame').hidden = false;
  show($('#wire-frame h3'), frame.summary);
  const carried = frame.reports === undefined ? '' : ` in ${frame.reports} HID reports`;
  const problem = frame.problem === undefined ? '' : ` · ${frame.problem}`;
  show($('#wire-about'), `${about} · ${frame.length} bytes${carried}${problem}`);
  const bytes = drawnBytes(frame.bytes);
  $('#wire-bytes').replaceChildren(bytes.box);
  const list = element('table');
  const body = element('tbody');
  body.append(...frame.fields.flatMap((field) => rowsOf(field, 0, bytes.mark)));
  list.append(body);
  $('#wire-fields').replaceChildren(list);
  $('#wire-fields').scrollTop = 0;
  $('#wire-bytes').scrollTop = 0;
}

/** @type {(field: ShownField, depth: number, mark: Mark) => HTMLElement[]} */
function rowsOf(field, depth, mark) {
  const row = element('tr');
  const name = element('th', field.name);
  name.scope = 'row';
  name.dataset.depth = String(Math.min(depth, 4));
  const value = element('td', field.value, field.secret ? 'secret' : '');
  if (field.meaning !== undefined) value.append(element('small', field.meaning));
  row.append(name, value);
  row.tabIndex = -1;
  for (const event of ['pointerenter', 'focus', 'click']) {
    row.addEventListener(event, () => mark(field.at, field.length, event === 'click'));
  }
  return [row, ...(field.fields ?? []).flatMap((each) => rowsOf(each, depth + 1, mark))];
}

/** @type {(hex: string) => { box: HTMLElement, mark: Mark }} */
function drawnBytes(hex) {
  const box = element('div', '', 'bytes');
  /** @type {HTMLElement[]} */
  const cells = [];
  for (let at = 0; 2 * at < hex.length; at += rowBytes) {
    const row = element('p');
    row.append(element('span', at.toString(16).padStart(4, '0').toUpperCase(), 'offset'));
    for (let index = at; index < at + rowBytes && 2 * index < hex.length; index++) {
      const cell = element('span', hex.slice(2 * index, 2 * index + 2).replace('**', '••'));
      cells.push(cell);
      row.append(cell);
    }
    box.append(row);
  }
  /** @type {Mark} */
  const mark = (at, length, scroll) => {
    cells.forEach((cell, index) => cell.classList.toggle('marked', index >= at && index < at + length));
    if (scroll) cells[at]?.scrollIntoView({ block: 'nearest' });
  };
  return { box, mark };
}
