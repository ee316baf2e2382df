// Data goes into the page as text only.

/**
 * An element of the page.
 * @type {(selector: string, within?: ParentNode) => HTMLElement}
 */
export const $ = (selector, within = document) => partOf(selector, HTMLElement, within);

/**
 * The same, of a certain class.
 * @template {Element} Part
 * @param {string} selector
 * @param {new () => Part} type
 * @param {ParentNode} [within]
 * @returns {Part}
 */
export function partOf(selector, type, within = document) {
  const found = within.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`the page has no ${type.name} at ${selector}`);
  return found;
}

/**
 * All of them.
 * @type {(selector: string, within?: ParentNode) => HTMLElement[]}
 */
export function partsOf(selector, within = document) {
  return [...within.querySelectorAll(selector)].filter((each) => each instanceof HTMLElement);
}

/** @type {(shown: Element, text: string, className?: string) => void} */
export function show(shown, text, className) {
  // Unchanged text is not set again: a screen reader reads out every change.
  if (shown.textContent !== text) shown.textContent = text;
  if (className !== undefined) shown.className = className;
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} [text]
 * @param {string} [className]
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, text = '', className = '') {
  const made = document.createElement(name);
  show(made, text, className);
  return made;
}

/**
 * While `act` is under way, another press does nothing.
 * @type {(button: HTMLElement, act: (button: HTMLElement) => unknown) => void}
 */
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
}

/** @type {(text: string, act: (button: HTMLElement) => unknown, className?: string) => HTMLButtonElement} */
export function button(text, act, className = '') {
  const made = element('button', text, className);
  made.type = 'button';
  onPress(made, act);
  return made;
}

/** True where the columns scroll on their own. Elsewhere scrolling would move the whole page while it is used. */
const columns = matchMedia('(width >= 1200px)');

/**
 * Marks a section that the terminal waits for, and scrolls it into view.
 * @type {(section: HTMLElement, waiting: boolean) => void}
 */
export function showWaiting(section, waiting) {
  const begins = waiting && section.dataset.waiting !== 'true';
  section.dataset.waiting = String(waiting);
  if (begins && columns.matches) section.scrollIntoView({ block: 'nearest' });
}
