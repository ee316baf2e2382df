import { partOf } from './element.js';
/** @import { Action } from './types.ts' */

/** How long the page waits for a new view after a press, before a second press is accepted. */
const waitMs = 3000;
/** The second tap of a double tap must not hit a button that the first one has just brought up. */
const settleMs = 350;

const controls = partOf('controls', HTMLFieldSetElement);
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @type {(ms: number, why: 'sent' | 'settling') => void} */
function hold(ms, why) {
  controls.disabled = true;
  document.body.dataset.hold = why;
  clearTimeout(timer);
  timer = setTimeout(release, ms);
}

function release() {
  clearTimeout(timer);
  controls.disabled = false;
  delete document.body.dataset.hold;
}

/**
 * Called with each new view. `elsewhere`: its buttons differ from those of the view before.
 * @type {(elsewhere: boolean) => void}
 */
export function arrived(elsewhere) {
  if (elsewhere) hold(settleMs, 'settling');
  else if (document.body.dataset.hold === 'sent') release();
}

/** @type {(action: Action & { readonly transaction?: string | undefined }) => void} */
export function send(action) {
  if (controls.disabled) return;
  hold(waitMs, 'sent');
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(action) };
  // If the action does not arrive, no new view comes, and the buttons work again after the wait.
  fetch('action', request).catch(() => undefined);
}
