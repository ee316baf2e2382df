import { act, get, post } from './call.js';
import { byUse, cardNamed, presentations } from './cards.js';
import { $, button, element, onPress, partsOf, show, showWaiting } from './element.js';
import { makeFaults } from './faults.js';
import { amountText } from './money.js';
/** @import { CardInterface, Reader } from './types.ts' */

/** @type {ReturnType<typeof makeFaults>} */
let showFaults;

export async function startReader() {
  showFaults = makeFaults($('#reader-faults'), 'Reader', '/api/reader/fault', {
    switches: { unplug: 'unplugged', splitBytes: 'byte by byte' },
    next: [
      ['two cards', { collision: true }],
      ['unsupported card', { unsupported: true }],
      ['too much for contactless', { overLimit: true }],
      ['card taken away too early', { cardLost: true }],
      ['chip can’t be read', { chipFails: true }],
      ['chip refuses', { cardRefuses: true }],
      ['garbled answer', { garble: true }],
      ['lost answer', { dropNext: true }],
      ['noise before', { garbageBefore: true }],
    ],
  });
  onPress($('#take-out'), () => post('/api/reader/remove', {}, 'Take the card out'));
  for (const name of ((await get('/api/cards')) ?? []).toSorted(byUse)) $('#cards').append(drawnCard(name));
}

/** @type {(name: string) => HTMLElement} */
function drawnCard(name) {
  const { title, lastFour, interfaces, testPin } = cardNamed(name);
  const card = element('article', '', 'card');
  card.dataset.card = name;
  const ways = element('p', '', 'ways');
  for (const way of interfaces) {
    const { verb, path } = presentations[way];
    const made = button(verb, () => act(path, { card: name }, `${verb} ${title}`));
    made.dataset.way = way;
    made.ariaLabel = `${verb} ${title}`;
    ways.append(made);
  }
  const number = element('p', lastFour === '' ? '' : `•••• ${lastFour}`, 'last-four');
  card.append(element('h3', title), number, element('p', testPin === '' ? '' : `PIN ${testPin}`, 'test-pin'), ways);
  return card;
}

/**
 * The reader's current request to the customer.
 * @type {(reader: Reader) => keyof typeof texts}
 */
function stateOf(reader) {
  if (!reader.connected) return 'absent';
  if (reader.pinPad.asking) return 'pin';
  if (reader.armed) return 'armed';
  if (reader.chipWaits) return 'chip';
  return 'idle';
}

/** @type {Readonly<Record<'absent' | 'pin' | 'armed' | 'chip' | 'idle', readonly [title: string, note: string]>>} */
const texts = {
  absent: ['Unplugged', 'The terminal can’t reach it: see Reader faults, below.'],
  pin: ['Enter the PIN', 'at the PIN pad below'],
  armed: ['', 'the terminal waits for a card'],
  chip: ['Leave the card in', 'the terminal asks the host'],
  idle: ['No card is awaited', 'Start a payment at the terminal first.'],
};

/** @type {(reader: Reader) => void} */
export function showReader(reader) {
  const state = stateOf(reader);
  const [title, note] = texts[state];
  const interfaces = reader.interfaces ?? [];
  $('#reader-panel').dataset.state = state;
  show(
    $('#reader-amount'),
    reader.amountMinor === undefined ? '' : amountText(reader.amountMinor, reader.currencyNumeric),
  );
  show($('#reader-state'), state === 'armed' ? ways(interfaces) : title);
  show($('#reader-note'), where(reader) ?? (reader.transactionType === '20' ? 'for a refund' : note));
  $('#take-out').hidden = reader.insertedCard === undefined;
  showWaiting($('#reader'), reader.armed);
  for (const card of partsOf('.card')) {
    const name = card.dataset.card;
    card.dataset.held = String(name === reader.heldCard || name === reader.insertedCard);
    for (const way of card.querySelectorAll('button')) {
      const taken = way.dataset.way === 'chip' && reader.insertedCard !== undefined;
      way.disabled = !interfaces.some((each) => each === way.dataset.way) || taken;
    }
  }
  showFaults({ unplug: !reader.connected });
}

/**
 * 'Tap, insert or swipe a card'.
 * @type {(interfaces: readonly CardInterface[]) => string}
 */
function ways(interfaces) {
  const verbs = interfaces.map((each) => presentations[each].verb.toLowerCase());
  const all = verbs.length > 1 ? `${verbs.slice(0, -1).join(', ')} or ${verbs.at(-1)}` : verbs.join('');
  return `${all.charAt(0).toUpperCase()}${all.slice(1)} a card`;
}

/** @type {(reader: Reader) => string | undefined} */
function where({ heldCard, insertedCard }) {
  if (insertedCard !== undefined) return `${cardNamed(insertedCard).title} is in the slot`;
  if (heldCard !== undefined) return `${cardNamed(heldCard).title} is held to the reader`;
  return undefined;
}
