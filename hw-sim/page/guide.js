import { $ } from './element.js';

const stored = 'poid-guide';

/** What to do first, until it was read. */
export function startGuide() {
  $('#guide-done').addEventListener('click', () => showGuide(false));
  $('#guide-again').addEventListener('click', () => showGuide(true));
  showGuide(localStorage.getItem(stored) !== 'done');
}

function showGuide(on) {
  $('#guide').hidden = !on;
  $('#guide-again').hidden = on;
  if (on) localStorage.removeItem(stored);
  else localStorage.setItem(stored, 'done');
}
