// The panel of a matter to be settled with the customer, because evidence arrived after a decision.
import { methodOf } from './menu-names.js';
import { back, facts, priceOf, tile } from './menu-parts.js';
import { element } from './element.js';
import { wordOf } from './label.js';
import { timeText } from './time.js';
/** @import { Places } from './menu-types.ts' */
/** @import { Fact, OpenMatter, Words } from './types.ts' */

/** @type {Places<'matter'>} */
export const matterPlaces = {
  /** The event, and how the matter is settled. */
  matter({ matter }, words, actions) {
    const { id, ofTransaction, isReturnable } = matter;
    /** @type {Fact[]} */
    const rows = [
      [words.menu[`is-${matter.matter}`], priceOf(matter)],
      [[wordOf(words.kinds, matter.kind) ?? '', methodOf(matter, words)].filter(Boolean).join(' · '), dateOf(matter)],
      [words.menu.transaction, id],
      ...(ofTransaction === '' ? [] : [/** @type {Fact} */ ([words.menu.ofTransaction, ofTransaction])]),
    ];
    const { void: taken } = matter;
    const tiles = [
      ...(taken ? [tile('cancel', words.menu.voidRefund, () => actions.voidMatter(matter, taken), 'voidMatter')] : []),
      ...(isReturnable
        ? [tile('yes', words.menu.givenBackInCash, () => actions.giveBackMatter(matter), 'givenBackInCash')]
        : []),
      tile('yes', words.menu.settledWithCustomer, () => actions.settleMatter(matter), 'settledWithCustomer'),
      tile('story', words.menu.toTransaction, () => actions.story(id), 'toTransaction'),
    ];
    return {
      title: words.menu.bank,
      hint: words.menu[`todo-${matter.matter}`],
      panel: element('div', { id: 'waits' }, facts(rows), element('div', { class: 'tiles' }, ...tiles)),
      foot: [back(words, actions, actions.bank)],
    };
  },
};

/**
 * The chosen matter, for the confirmation question.
 * @type {(matter: OpenMatter, words: Words) => string}
 */
export function matterText(matter, words) {
  return [words.menu[`is-${matter.matter}`], methodOf(matter, words), priceOf(matter)].filter(Boolean).join(' · ');
}

/**
 * With its date, because it may have waited for days.
 * @type {(of: { readonly at: string }) => string}
 */
function dateOf({ at }) {
  return timeText(at, { day: '2-digit', month: '2-digit', hour: '2-digit', minute: '2-digit' });
}
