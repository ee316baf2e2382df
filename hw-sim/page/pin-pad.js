import { act } from './call.js';
import { testPins } from './cards.js';
import { $, button, show, showWaiting } from './element.js';
/** @import { Reader } from './types.ts' */

const digitsMin = 4;
const digitsMax = 12;
const path = '/api/pin-pad/enter';

/** The entered digits, kept only until they are sent or the PIN is no longer requested. */
let digits = '';
let asking = false;
/** @type {Map<string, HTMLButtonElement>} */
const keys = new Map();

export function startPinPad() {
  const rows = [['1', '2', '3', 'Cancel'], ['4', '5', '6', 'Clear'], ['7', '8', '9', 'Enter'], ['0']];
  for (const name of rows.flat()) {
    const key = button(name, () => press(name));
    key.dataset.key = name;
    keys.set(name, key);
    $('#pin-keys').append(key);
  }
  $('#pin-pad').addEventListener('keydown', (event) => {
    const name = { Enter: 'Enter', Escape: 'Cancel', Backspace: 'Clear' }[event.key] ?? event.key;
    // A key that has the focus is pressed by the browser.
    if (!keys.has(name) || (event.key === 'Enter' && event.target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    void press(name);
  });
  draw();
}

/** @type {(name: string) => Promise<void>} */
async function press(name) {
  if (!asking) return;
  switch (name) {
    case 'Clear':
      digits = '';
      break;
    case 'Cancel':
      digits = '';
      draw();
      await act(path, { key: 'CANCEL' }, 'PIN pad');
      return;
    case 'Enter':
      if (digits.length >= digitsMin) await send();
      return;
    default:
      if (digits.length < digitsMax) digits += name;
  }
  draw();
}

async function send() {
  const pin = digits;
  digits = '';
  draw();
  await act(path, { pin }, 'PIN pad');
}

/** @type {(reader: Pick<Reader, 'pinPad'>) => void} */
export function showPinPad({ pinPad }) {
  const begins = pinPad.asking && !asking;
  if (!pinPad.asking) digits = '';
  asking = pinPad.asking;
  showWaiting($('#pin-pad'), asking);
  const pins = testPins().map(({ title, testPin }) => `${title} card: test PIN ${testPin}`);
  const again = pinPad.again ? 'The last PIN was wrong. ' : '';
  show($('#pin-note'), asking ? `${again}${pins.join(', ')}` : 'No PIN is asked for.', pinPad.again ? 'wrong' : '');
  draw();
  if (!begins) return;
  $('#pin-pad').scrollIntoView({ block: 'nearest' });
  // Digits may be typed on the keyboard, unless another field has the focus.
  if (document.activeElement?.matches('input, select') !== true) $('#pin-pad').focus({ preventScroll: true });
}

function draw() {
  show($('#pin-dots'), '•'.repeat(digits.length));
  for (const [name, key] of keys) key.disabled = !asking || (name === 'Enter' && digits.length < digitsMin);
}
