import { post } from './call.js';
import { $, onPress, partOf, show } from './element.js';
/** @import { Terminal } from './types.ts' */

/** @type {Terminal['power']} */
let power;

/** The terminal's power: one button, which cuts the power or switches it on again. */
export function startPower() {
  onPress($('#power'), switchOver);
  onPress($('#power-on'), switchOver);
}

/** @type {(terminal: Terminal) => void} */
export function showPower({ power: now, cutAt }) {
  power = now;
  const button = partOf('#power', HTMLButtonElement);
  button.disabled = now === undefined;
  button.title = now === undefined ? 'Only where “poid run --sim” has started terminal and simulator' : '';
  show(button, now === 'off' ? 'Switch it on' : now === 'on' ? 'Cut the power' : 'Cut the power: not from here');
  $('#no-power').hidden = now !== 'off';
  $('#cut-to-come').hidden = cutAt === undefined;
  if (cutAt) show($('#cut-to-come'), `Its power will be cut at “${cutAt.words}” on ${cutAt.line}.`);
  document.body.dataset.power = now ?? 'foreign';
}

/** Cuts the power for ten minutes, so that the user switches it on again, or switches it on. */
async function switchOver() {
  if (power === 'off') await post('/api/terminal/power', { power: 'on' }, 'Power');
  else await post('/api/terminal/power', { power: 'cut', offMs: 600_000 }, 'Power');
}
