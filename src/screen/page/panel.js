// The buttons below the message: methods, accounts, wallets, cash. Each calls `onAction` with its own action.
import { cash } from './cash.js';
import { code } from './code.js';
import { button, element, icon } from './element.js';
import { nameOf, wordOf } from './label.js';
import { question } from './question.js';
import { checkSignature, sign } from './sign.js';
import { tip } from './tip.js';
/** @import { Attributes, Labels, OnAction, TipPart, View, Words } from './types.ts' */

/** @type {(modes: readonly string[], words: Words, onAction: OnAction, labels?: Labels) => HTMLElement} */
export function methodTiles(modes, words, onAction, labels) {
  const tiles = modes.map((mode) =>
    tile(
      { 'data-action': 'choose', 'data-mode': mode },
      drawingOf(mode, words),
      nameOf(mode, words.modes, words, labels),
      () => onAction({ kind: 'choose', mode }),
    ),
  );
  return element('div', { class: 'tiles' }, ...tiles);
}

/**
 * The drawing of a mode. A mode that the page does not know has that of "other ways to pay".
 * @type {(mode: string, words: Words) => string}
 */
function drawingOf(mode, words) {
  return Object.hasOwn(words.modes, mode) ? mode : 'others';
}

/**
 * The panel of this scene; undefined if it has none. `onTip`: the customer wants to see another part of the question
 * for a tip.
 * @type {(view: View, words: Words, onAction: OnAction, onTip: (part: TipPart) => void) => HTMLElement | undefined}
 */
export function panel(view, words, onAction, onTip) {
  const { scene, modes = [], interfaces = [], accounts = [], hint, modules, labels } = view;
  switch (scene) {
    case 'chooseMethod': {
      // The reader is armed meanwhile, so a card needs no button, unless the view lists no interfaces.
      const tiles = modes.filter((mode) => mode !== 'CARD' || interfaces.length === 0);
      return methodTiles(tiles, words, onAction, labels);
    }
    case 'chooseAccount': {
      const tiles = accounts.map((account) =>
        tile({ 'data-action': 'account', 'data-account': account }, account, words.accounts[account], () =>
          onAction({ kind: 'account', account }),
        ),
      );
      return element('div', { class: 'tiles' }, ...tiles);
    }
    case 'presentCode':
      return element(
        'div',
        { id: 'present' },
        ...walletTabs(view, words, onAction),
        code(hint === 'codeComing' ? undefined : modules),
      );
    case 'chooseTip':
      return tip(view, words, onAction, onTip);
    case 'chooseOption':
      return question(view, words, onAction);
    case 'tenderCash':
      return cash(view, words, (amount) => onAction({ kind: 'tender', amount }));
    case 'sign':
      return sign(words, onAction);
    case 'checkSignature':
      return checkSignature(view, words, onAction);
    default:
      return undefined;
  }
}

/** @type {(view: View, words: Words, onAction: OnAction) => HTMLElement[]} */
function walletTabs({ wallets = [], wallet, labels, logos = {} }, words, onAction) {
  if (wallets.length < 2) return [];
  const tabs = wallets.map((scheme) => {
    const shown = scheme === wallet;
    const attributes = { role: 'tab', 'aria-selected': String(shown), 'data-action': 'wallet', 'data-wallet': scheme };
    const press = () => shown || onAction({ kind: 'wallet', scheme });
    // The name stands below, and a screen reader reads it.
    const path = wordOf(logos, scheme);
    const logo = path === undefined ? [] : [element('img', { src: path, alt: '' })];
    return button(attributes, press, ...logo, element('span', {}, nameOf(scheme, words.wallets, words, labels)));
  });
  return [element('div', { id: 'wallets', role: 'tablist' }, ...tabs)];
}

/** @type {(attributes: Attributes, drawing: string, label: string, onPress: () => void) => HTMLButtonElement} */
function tile(attributes, drawing, label, onPress) {
  return button({ class: 'tile', ...attributes }, onPress, icon(drawing), element('span', {}, label));
}
