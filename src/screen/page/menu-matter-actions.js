// The actions of the panel of a matter to be settled with the customer.
import { matterText } from './menu-matters.js';
/** @import { Actions, MatterActions, MatterParts } from './menu-types.ts' */
/** @import { OpenMatter, Words } from './types.ts' */

/** @type {(parts: MatterParts, actions: () => Actions) => MatterActions} */
export function matterActions({ go, sure, read, pay, withConfirmation }, actions) {
  /** @type {(matter: OpenMatter) => (words: Words) => string} */
  const textOf = (matter) => (words) => matterText(matter, words);
  return {
    matter: (matter) => go({ place: 'matter', matter }),
    settleMatter(matter) {
      const { id: transaction, matter: kind } = matter;
      const body = withConfirmation({ kind: 'settledWithCustomer', transaction, matter: kind });
      const done = () => go({ place: 'said', what: 'matterDone', onBack: actions().bank });
      const [text, onNo] = [textOf(matter), () => actions().matter(matter)];
      sure({ what: 'matter', text, onYes: () => read(body, done), onNo });
    },
    giveBackMatter(matter) {
      const body = withConfirmation({ kind: 'givenBackInCash', transaction: matter.id });
      const done = () => go({ place: 'said', what: 'givenBackDone', onBack: actions().bank });
      const [text, onNo] = [textOf(matter), () => actions().matter(matter)];
      sure({ what: 'giveBack', text, onYes: () => read(body, done), onNo });
    },
    voidMatter(matter, { act, kind, amount }) {
      const { id: transaction, currency } = matter;
      const body = withConfirmation({ kind: 'act', act, transaction, amount, currency });
      const [text, onNo] = [textOf(matter), () => actions().matter(matter)];
      sure({ kind, text, onYes: () => pay(body, actions().bank), onNo });
    },
  };
}
