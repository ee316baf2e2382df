// The simulator's page. It drives the same calls as any test would, and shows the state that /api/events sends.

import { post } from './call.js';
import { $, onPress, show } from './element.js';
import { clearFaults } from './faults.js';
import { showFaultsSet, startFaultsSet } from './faults-set.js';
import { showFindings } from './findings.js';
import { startGuide } from './guide.js';
import { noteHosts, walletHost } from './host-mode.js';
import { showHosts } from './hosts.js';
import { showOctopus, startOctopus } from './octopus.js';
import { showPhones, startPhones } from './phones.js';
import { showPinPad, startPinPad } from './pin-pad.js';
import { showPower, startPower } from './power.js';
import { showPrinter, startPrinter } from './printer.js';
import { showReader, startReader } from './reader.js';
import { startScenarios } from './scenarios.js';
import { showScanner, startScanner } from './scanner.js';
import { showScreen } from './screen.js';
import { showTerminalState, steadily } from './terminal-state.js';
import { showTill, startTill } from './till.js';
import { markViews, startViews } from './views.js';
import { clearWires, startWires } from './wires.js';
/** @import { State } from './types.ts' */

/** @type {(state: State) => void} */
function showState(state) {
  const octopusAwaited = steadily(state.octopus, () => showState(state));
  noteHosts(state.hosts);
  $('#auto').hidden = !state.auto;
  showTerminalState(state, octopusAwaited);
  showReader(state.reader);
  showPinPad(state.reader);
  showPhones(state);
  showScanner(state.scanner);
  showOctopus(state.octopus, octopusAwaited);
  showPrinter(state.printer);
  showHosts(state);
  showFindings(state);
  showFaultsSet(state);
  showScreen(state.terminal);
  showPower(state.terminal);
  showTill(state.terminal);
  const { onShow = null, askedForPassword = null } = walletHost(state.hosts) ?? {};
  markViews({ others: octopusAwaited || state.scanner.triggered || onShow !== null || askedForPassword !== null });
}

async function start() {
  startGuide();
  startViews();
  startTill();
  startWires();
  startPower();
  startFaultsSet();
  startPinPad();
  startPhones();
  startScanner();
  startOctopus();
  startPrinter();
  onPress($('#reset'), async () => {
    if (!(await post('/api/reset', {}, 'Reset'))) return;
    clearFaults();
    clearWires();
  });
  await Promise.all([startReader(), startScenarios()]);
  const events = new EventSource('/api/events');
  events.addEventListener('open', () => show($('#link'), 'live', 'pill good'));
  events.addEventListener('error', () => {
    show($('#link'), 'no connection', 'pill bad');
    show($('#terminal-state'), 'is unknown: the simulator does not answer');
  });
  events.addEventListener('message', ({ data }) => showState(JSON.parse(data)));
}

await start();
