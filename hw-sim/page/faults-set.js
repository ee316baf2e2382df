import { post } from './call.js';
import { $, onPress, show } from './element.js';
import { clearFaults } from './faults.js';
import { modeOf } from './host-mode.js';

/** Faults of a device that its state shows, in words. */
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

/** What is still set when the next sale begins: somebody who played a scenario does not expect it. */
export function showFaultsSet({ hosts, reader, printer, octopus, terminal }) {
  const set = [
    ...Object.entries(hosts).map(([id, host]) => [`host ${id}`, hostFaults(host)]),
    ['printer', faultsOf(printer, ['paperOut', 'paperNearEnd', 'coverOpen', 'cutterError', 'silent'])],
    ['octopus', faultsOf(octopus, ['plugged', 'silent'])],
    ['card reader', terminal.power === 'off' ? [] : faultsOf(reader, ['connected'])],
  ].filter(([, faults]) => faults.length > 0);
  $('#faults-set').hidden = set.length === 0;
  show($('#faults-set p'), `Still set: ${set.map(([who, faults]) => `${who} ${faults.join(', ')}`).join('; ')}.`);
}

function faultsOf(device, names) {
  return names.filter((name) => (words[name][1] ?? Boolean)(device[name])).map((name) => words[name][0]);
}

function hostFaults(host) {
  const { mode, ...more } = modeOf(host);
  const others = Object.entries(more).map(([name, value]) => (value === true ? name : `${name} ${value}`));
  return [...(mode === 'up' ? [] : [mode]), ...others];
}
