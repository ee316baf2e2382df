import { $, show } from './element.js';
import { walletHost } from './host-mode.js';
import { walletName } from './phones.js';
/** @import { Octopus, State } from './types.ts' */

/** A terminal that waits for an Octopus polls repeatedly; the pause between two polls counts as waiting. */
const pollGapMs = 800;

let polledAt = -Infinity;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * Whether the terminal waits for an Octopus. `again` is called when that may be over.
 * @type {(octopus: Octopus, again: () => void) => boolean}
 */
export function steadily({ polling, incomplete }, again) {
  if (polling) polledAt = performance.now();
  const left = polledAt + pollGapMs - performance.now();
  clearTimeout(timer);
  if (!polling && left > 0) timer = setTimeout(() => again(), left);
  return polling || left > 0 || incomplete !== undefined;
}

/**
 * The terminal's state, as its devices and hosts see it.
 * @type {(state: State, octopusAwaited: boolean) => void}
 */
export function showTerminalState(state, octopusAwaited) {
  const waits = waitsOf(state, octopusAwaited);
  const text = waits.length === 0 ? restOf(state) : waits.join(', ');
  show($('#terminal-state'), text);
  $('#terminal').title = text;
  $('#terminal').dataset.waiting = String(waits.length > 0);
}

/** @type {(state: State, octopusAwaited: boolean) => string[]} */
function waitsOf({ reader, scanner, octopus, hosts, terminal }, octopusAwaited) {
  if (terminal.power === 'off') return [];
  const { onShow = null, askedForPassword = null } = walletHost(hosts) ?? {};
  return [
    reader.pinPad.asking && (reader.pinPad.again ? 'asks for the PIN again' : 'asks for the PIN'),
    reader.armed && 'waits for a card',
    reader.chipWaits && 'asks the host, the chip waits',
    scanner.triggered && 'waits for a code at the scanner',
    onShow && `shows a code of ${walletName(onShow.wallet)}`,
    askedForPassword && 'waits for the customer’s phone',
    octopus.incomplete ? 'waits for the same Octopus again' : octopusAwaited && 'waits for an Octopus',
  ].filter((each) => typeof each === 'string');
}

/** @type {(state: State) => string} */
function restOf({ reader, octopus, terminal }) {
  if (terminal.power === 'off') return 'has no power';
  if (octopus.plugged && !octopus.connected && !('pollOnDemand' in reader && reader.pollOnDemand))
    return 'is not connected';
  if (reader.insertedCard !== undefined) return 'is done with the card';
  return terminal.says === undefined ? 'is idle, or busy on its own screen' : saysOf(terminal.says);
}

/**
 * Texts for the states that it reports to its tills. Any other state is shown as it is.
 * @type {Readonly<Record<string, string>>}
 */
const says = {
  idle: 'is idle',
  collecting: 'asks on its screen',
  authorizing: 'asks the host',
  settling: 'settles with the hosts',
  approved: 'shows: approved',
  declined: 'shows: declined',
  error: 'shows: error',
};

/** @type {(says: { readonly state: string }) => string} */
function saysOf({ state }) {
  return (Object.hasOwn(says, state) ? says[state] : undefined) ?? state;
}
