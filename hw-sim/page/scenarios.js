import { get, post, postStep } from './call.js';
import { $, button, element, show } from './element.js';
import { hideGuide } from './guide.js';
import { addCall } from './till-calls.js';
import { go } from './views.js';
import { lookFor } from './wires.js';
/** @import { Ending, Scenario, Step } from './types.ts' */

/** Scenarios to be played with one click, and the effects of amounts. Both are data of the simulator. */
export async function startScenarios() {
  const { scenarios = [], amounts = [] } = (await get('/api/scenarios')) ?? {};
  $('#scenario-list').append(...scenarios.map(drawnScenario));
  $('#amounts tbody').append(...amounts.map(drawnAmount));
  $('#scenario-close').addEventListener('click', () => {
    $('#scenario').hidden = true;
  });
}

/** @type {(scenario: Scenario) => HTMLElement} */
function drawnScenario(scenario) {
  const box = element('article', '', 'scenario');
  const play = button('Play', () => playNow(scenario));
  play.ariaLabel = `Play: ${scenario.title}`;
  if (scenario.beside) play.classList.add('beside');
  const head = element('h3', `${scenario.title} `);
  head.append(element('span', '', 'gap'), play);
  box.append(head, element('p', scenario.look, 'note'));
  if (scenario.beside) {
    const only = 'Not from here: terminal and simulator must be started together, by “poid run --sim”.';
    box.append(element('p', only, 'note apart'));
  }
  return box;
}

/** @type {(scenario: Scenario) => Promise<void>} */
async function playNow({ title, steps, look, wire, mend }) {
  show($('#scenario-title'), title);
  show($('#scenario-look'), look);
  hideGuide();
  $('#scenario').hidden = false;
  $('#scenario-mend').replaceChildren(...(mend ? [button(mend.title, () => play(mend.steps, title))] : []));
  if (!(await post('/api/faults/clear', {}, title))) return;
  // Calls of the till are shown on the wires; calls that only set something up are not.
  if (wire !== undefined) {
    lookFor(wire);
    go('wires');
  }
  await play(steps, title);
}

/**
 * In their order. A till's request is answered only after the customer's steps: only the next one waits for it.
 * @type {(steps: readonly Step[], title: string) => Promise<void>}
 */
async function play(steps, title) {
  let last = Promise.resolve();
  for (const step of steps) {
    if ('till' in step) {
      await last;
      last = addCall('payment', step.till);
    } else if (!(await postStep(step, title))) return;
  }
}

/** @type {(ending: Ending) => HTMLElement} */
function drawnAmount({ cents, what }) {
  const row = element('tr');
  const amount = `30.${cents}`;
  const cell = element('td');
  const sell = button(`Sell HKD ${amount}`, async () => {
    const set = { declineByAmount: true, faultByAmount: true };
    for (const id of ['EDC', 'CUP']) if (!(await post(`/api/host/${id}`, set, `Host ${id}`))) return;
    void addCall('payment', {
      transactionType: 'SALE',
      requestAmount: Number(amount),
      currency: 'HKD',
      preferredEntryMode: 'CARD',
    });
  });
  cell.append(sell);
  row.append(element('td', `.${cents}`), element('td', what), cell);
  return row;
}
