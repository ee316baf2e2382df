import { $, partsOf } from './element.js';

const usual = 'wires';

/** True if all columns fit on one screen (page.css). Otherwise a chosen view would be far below, out of sight. */
const wide = matchMedia('(width >= 1200px)');
/** @type {((view: string) => void)[]} */
const listeners = [];

/** The view beside till, screen and cards. The address names it, so that a reload shows the same view. */
export function startViews() {
  for (const button of partsOf('#views [data-view]')) {
    button.addEventListener('click', () => {
      location.hash = button.dataset.view ?? '';
    });
  }
  addEventListener('hashchange', () => {
    show();
    if (!wide.matches) document.querySelector('main > :not(#till-column, #cards-column, [hidden])')?.scrollIntoView();
  });
  show();
}

/**
 * Shows a view.
 * @type {(view: string) => void}
 */
export function go(view) {
  location.hash = view;
}

/**
 * Calls back now and whenever another view is shown, with its name.
 * @type {(listener: (view: string) => void) => void}
 */
export function onView(listener) {
  listeners.push(listener);
  listener(viewNow());
}

/**
 * Marks the view in which the terminal waits for the user.
 * @type {(waiting: { others: boolean }) => void}
 */
export function markViews({ others }) {
  $('#views [data-view="others"]').dataset.waiting = String(others);
}

function viewNow() {
  const wanted = location.hash.slice(1);
  return document.querySelector(`#views [data-view="${CSS.escape(wanted)}"]`) ? wanted : usual;
}

function show() {
  const view = viewNow();
  document.body.dataset.view = view;
  for (const part of partsOf('[data-views]')) {
    part.hidden = !(part.dataset.views ?? '').split(' ').includes(view);
  }
  for (const button of partsOf('#views [data-view]')) {
    button.ariaCurrent = button.dataset.view === view ? 'page' : 'false';
  }
  for (const listener of listeners) listener(view);
}
