import { act } from './call.js';
import { $, partOf, showWaiting } from './element.js';
import { makeFaults } from './faults.js';
/** @import { State } from './types.ts' */

/** @type {ReturnType<typeof makeFaults>} */
let showFaults;

export function startScanner() {
  showFaults = makeFaults($('#scanner-faults'), 'Scanner', '/api/scanner/fault', {
    switches: { unplug: 'unplugged', splitBytes: 'byte by byte' },
    next: [
      ['garbled code', { garble: true }],
      ['noise before', { noise: true }],
      ['far too long', { tooLong: true }],
    ],
  });
  $('#scan').addEventListener('submit', (event) => {
    event.preventDefault();
    void act('/api/scanner/scan', { code: partOf('#scan [name="code"]', HTMLInputElement).value }, 'Scan');
  });
}

/** @type {(scanner: State['scanner']) => void} */
export function showScanner({ connected, triggered }) {
  showWaiting($('#scanner'), triggered);
  showFaults({ unplug: !connected });
}
