// The question of a sale option: a button for each answer, with the terminal's texts.
import { button, element } from './element.js';
import { labelIn } from './label.js';
import { grouped } from './money.js';
/** @import { OnAction, View, Words } from './types.ts' */

/** @type {(view: View, words: Words, onAction: OnAction) => HTMLElement} */
export function question({ question: asked }, words, onAction) {
  const buttons = (asked?.choices ?? []).map(({ id, label, added, total }) => {
    const face = [
      element('span', {}, labelIn(words, label) ?? id),
      ...(added === undefined ? [] : [sum(added)]),
      ...(total === undefined ? [] : [element('small', {}, `${words.sums.total} ${grouped(total)}`)]),
    ];
    const attributes = {
      'data-action': 'option',
      'data-choice': id,
      ...(added === undefined ? { class: 'plain' } : {}),
    };
    return button(attributes, () => onAction({ kind: 'option', choice: id }), ...face);
  });
  return element('div', { id: 'tips' }, ...buttons);
}

/** @type {(added: string) => HTMLElement} */
function sum(added) {
  const text = grouped(added);
  const shown = element('b', {}, text);
  shown.style.setProperty('--characters', String(text.length));
  return shown;
}
