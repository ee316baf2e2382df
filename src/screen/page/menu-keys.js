// A keyboard, or a keypad on a cable, types into the keypad on the page, and Enter confirms.
let byKeyboard = false;

/** @type {(selector: string) => boolean} */
function press(selector) {
  const found = /** @type {HTMLElement | null} */ (document.querySelector(`#controls ${selector}`));
  // A button of a page that has just changed is disabled for a moment, and a click on it does nothing.
  found?.click();
  return found !== null;
}

/** @type {(key: string) => boolean} */
function isTyped(key) {
  return /^[0-9.]$/.test(key) && press(`[data-key="${key}"]`);
}

function isConfirmed() {
  // Enter on a digit that was reached by Tab would type it once more. Any other button is pressed by the browser.
  const { activeElement: active } = document;
  const isKey = active instanceof HTMLElement && active.dataset.key !== undefined;
  return (isKey || !(active instanceof HTMLButtonElement)) && press('#tender');
}

document.addEventListener('keydown', (event) => {
  byKeyboard = true;
  const { key, ctrlKey, altKey, metaKey, repeat } = event;
  if (ctrlKey || altKey || metaKey) return;
  const handled =
    isTyped(key) ||
    (key === 'Backspace' && press('[data-key="erase"]')) ||
    // A key that is held down confirms once.
    (key === 'Enter' && (repeat || isConfirmed())) ||
    (key === 'Escape' && (press('[data-action="no"]') || press('[data-action="back"]')));
  if (handled) event.preventDefault();
});
document.addEventListener('pointerdown', () => (byKeyboard = false));

/**
 * Moves the focus to the new panel for keyboard users, as soon as its buttons can be pressed.
 * @type {(afterMs: number) => void}
 */
export function focusPanel(afterMs) {
  if (!byKeyboard) return;
  setTimeout(() => {
    const first = document.querySelector('#panel button:not([data-key])');
    if (first instanceof HTMLElement) first.focus();
  }, afterMs);
}
