import { $ } from './element.js';

const stored = 'poid-guide';

/** The first steps, shown until they were read. */
export function startGuide() {
  $('#guide-done').addEventListener('click', () => showGuide(false));
  $('#guide-again').addEventListener('click', () => showGuide(true));
  showGuide(localStorage.getItem(stored) !== 'done');
}

/** Hides the guide without marking it as read. */
export function hideGuide() {
  $('#guide').hidden = true;
  $('#guide-again').hidden = false;
}

/** @type {(on: boolean) => void} */
function showGuide(on) {
  $('#guide').hidden = !on;
  $('#guide-again').hidden = on;
  if (on) localStorage.removeItem(stored);
  else localStorage.setItem(stored, 'done');
}
