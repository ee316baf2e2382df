/** After a press the terminal has so long to show something new, before a second press counts. */
const waitMs = 3000;
/** The second tap of a double tap must not hit what the first one brought under the finger. */
const settleMs = 350;

const controls = document.getElementById('controls');
let timer;

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

/** A view came. `elsewhere`: its buttons are other ones than those of the view before. */
export function arrived(elsewhere) {
  if (elsewhere) hold(settleMs, 'settling');
  else if (document.body.dataset.hold === 'sent') release();
}

export function send(action) {
  if (controls.disabled) return;
  hold(waitMs, 'sent');
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(action) };
  // What does not arrive shows in the view that does not come: the buttons are there again after the wait.
  fetch('action', request).catch(() => undefined);
}
