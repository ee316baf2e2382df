import { post } from './call.js';
import { $, onPress, show } from './element.js';
import { clearFaults } from './faults.js';
import { modeOf } from './host-mode.js';
import { modeTexts } from './mode-text.js';
/** @import { FaultWords, State } from './types.ts' */

/**
 * Faults of a device that its state shows, in words.
 * @type {Readonly<Record<'plugged' | 'connected' | 'paperOut' | 'paperNearEnd' | 'coverOpen' | 'cutterError' | 'silent', FaultWords>>}
 */
const words = {
  plugged: ['unplugged', (value) => value === false],
  connected: ['unplugged', (value) => value === false],
  paperOut: ['out of paper'],
  paperNearEnd: ['near the end of its paper'],
  coverOpen: ['open'],
  cutterError: ['with a cutter error'],
  silent: ['silent'],
};

export function startFaultsSet() {
  onPress($('#faults-set button'), async () => {
    if (await post('/api/faults/clear', {}, 'Take the faults back')) clearFaults();
  });
}

/**
 * Faults that are still set when the next sale begins: a user who played a scenario does not expect them.
 * @type {(state: State) => void}
 */
export function showFaultsSet({ hosts, reader, printer, octopus, terminal }) {
  /** @type {[who: string, faults: string[]][]} */
  const all = [
    ...Object.entries(hosts).map(
      ([id, host]) => /** @type {[string, string[]]} */ ([`host ${id}`, modeTexts(modeOf(host))]),
    ),
    ['printer', faultsOf(printer, ['paperOut', 'paperNearEnd', 'coverOpen', 'cutterError', 'silent'])],
    ['octopus', faultsOf(octopus, ['plugged', 'silent'])],
    ['card reader', terminal.power === 'off' ? [] : faultsOf(reader, ['connected'])],
  ];
  const set = all.filter(([, faults]) => faults.length > 0);
  $('#faults-set').hidden = set.length === 0;
  show($('#faults-set p'), `Still set: ${set.map(([who, faults]) => `${who} ${faults.join(', ')}`).join('; ')}.`);
}

/** @type {<Name extends keyof typeof words>(device: Readonly<Record<Name, unknown>>, names: readonly Name[]) => string[]} */
function faultsOf(device, names) {
  return names.flatMap((name) => {
    const [text, isSet = Boolean] = words[name];
    return isSet(device[name]) ? [text] : [];
  });
}
