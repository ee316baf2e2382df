import { act, post } from './call.js';
import { $, button, element, onPress, show, showWaiting } from './element.js';
import { makeFaults, sayHeard } from './faults.js';
import { hkdText } from './money.js';
/** @import { Octopus } from './types.ts' */

const faultPath = '/api/octopus/fault';

/** @type {ReturnType<typeof makeFaults>} */
let showFaults;

export function startOctopus() {
  showFaults = makeFaults($('#octopus-faults'), 'Octopus', faultPath, {
    switches: { unplug: 'agent gone', silent: 'agent silent', readerAbsent: 'reader absent' },
    next: [
      ['card unreadable', { readErrorNext: 'poll' }],
      ['deduction fails to read', { readErrorNext: 'deduct' }],
      ['deducted, and fails to read', { readErrorNext: 'deducted' }],
      ['garbled answer', { garble: true }],
      ['link lost during deduction', { disconnectDuringDeduct: true }],
    ],
  });
  for (const [id, incompleteNext] of /** @type {const} */ ([
    ['torn-deducted', 'deducted'],
    ['torn-not-deducted', 'notDeducted'],
  ])) {
    onPress($(`#${id}`), async (made) =>
      sayHeard(made, await post(faultPath, { incompleteNext }, 'Octopus, torn away')),
    );
  }
}

/**
 * `waiting`: see steadily() of terminal-state.js.
 * @type {(octopus: Octopus, waiting: boolean) => void}
 */
export function showOctopus(octopus, waiting) {
  const { cards, incomplete, heldCard } = octopus;
  const box = $('#octopus-cards');
  if (box.children.length !== cards.length) box.replaceChildren(...cards.map(drawnCard));
  for (const [index, { name, cardId, balanceMinor }] of cards.entries()) {
    const drawn = box.children[index];
    if (!(drawn instanceof HTMLElement)) continue;
    show($('.balance', drawn), hkdText(balanceMinor));
    drawn.dataset.held = String(name === heldCard);
    drawn.dataset.wanted = String(cardId === incomplete?.cardId);
  }
  const wanted = cards.find(({ cardId }) => cardId === incomplete?.cardId);
  $('#octopus-incomplete').hidden = incomplete === undefined;
  const which = wanted ? titleOf(wanted.name) : `card ${incomplete?.cardId}`;
  show($('#octopus-incomplete'), incomplete ? `Incomplete: the same card must come back, ${which}.` : '');
  showWaiting($('#octopus'), waiting);
  showFaults({ unplug: !octopus.plugged, silent: octopus.silent });
}

/** @type {(purse: Octopus['cards'][number]) => HTMLElement} */
function drawnCard({ name, cardId }) {
  const title = titleOf(name);
  const card = element('article', '', 'octopus-card');
  card.dataset.octopus = name;
  const tap = button('Tap', () => act('/api/octopus/tap', { card: name }, `Tap ${title}`));
  tap.ariaLabel = `Tap ${title}`;
  card.append(element('h3', title), element('p', '', 'balance'), element('p', cardId, 'card-id'), tap);
  return card;
}

/**
 * 'octopus-low' → 'Octopus low'.
 * @type {(name: string) => string}
 */
function titleOf(name) {
  const words = name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
