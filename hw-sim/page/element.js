// Data goes into the page as text only.

export const $ = (selector, within = document) => within.querySelector(selector);

export function show(shown, text, className) {
  // Unchanged text is not set again: a screen reader reads out every change.
  if (shown.textContent !== text) shown.textContent = text;
  if (className !== undefined) shown.className = className;
}

export function element(name, text = '', className = '') {
  const made = document.createElement(name);
  show(made, text, className);
  return made;
}

/** While `act` is under way, another press does nothing. */
export function onPress(button, act) {
  const pressed = async () => {
    if (button.ariaBusy === 'true') return;
    button.ariaBusy = 'true';
    try {
      await act(button);
    } finally {
      button.ariaBusy = 'false';
    }
  };
  button.addEventListener('click', () => void pressed());
  return button;
}

export function button(text, act, className = '') {
  const made = element('button', text, className);
  made.type = 'button';
  return onPress(made, act);
}

/** True where the columns scroll on their own. Elsewhere scrolling would move the whole page while it is used. */
const columns = matchMedia('(width >= 1200px)');

/** Marks a section that the terminal waits for, and scrolls it into view. */
export function showWaiting(section, waiting) {
  const begins = waiting && section.dataset.waiting !== 'true';
  section.dataset.waiting = String(waiting);
  if (begins && columns.matches) section.scrollIntoView({ block: 'nearest' });
}
