import { act } from './call.js';
import { $, showWaiting } from './element.js';
import { makeFaults } from './faults.js';

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
    const { code } = event.target.elements;
    void act('/api/scanner/scan', { code: code.value }, 'Scan');
  });
}

export function showScanner({ connected, triggered }) {
  showWaiting($('#scanner'), triggered);
  showFaults({ unplug: !connected });
}
