// The operator's menu of an idle screen: its open panel, its session, and its requests to the terminal.
import { menuActions } from './menu-actions.js';
import { focusPanel } from './menu-keys.js';
import { nameMerchants, nameMethods } from './menu-names.js';
import { menuPanel } from './menu-panel.js';
import { arrived } from './presses.js';
/** @import { Actions } from './menu-types.ts' */
/** @import { Answer, Asked, MenuView, Entry, Kind, Open, Panel, Rights, Words } from './types.ts' */

/** The terminal ends an idle session after this time; the page must then hide its content. */
const idleMs = 60_000;
/** When the buttons of a new panel can be pressed. */
const settledMs = 360;

/**
 * The last view of the menu; undefined until the terminal has sent one.
 * @type {MenuView | undefined}
 */
let shown;
/** @type {string | undefined} */
let session;
/**
 * The terminal's rights: the greatest refund without its sale, and whether it holds money.
 * @type {Rights}
 */
let rights = { holds: false };
/**
 * The open panel with its data; undefined if the menu is closed.
 * @type {Open | undefined}
 */
let open;
/**
 * The text that was typed into it. It is kept when the terminal sends a new view and the panel is redrawn.
 * @type {Entry}
 */
let entry = { text: '' };
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/**
 * Where to go after the login; the menu if undefined.
 * @type {(() => void) | undefined}
 */
let wanted;
/** The operator's own payment is on the screen. The menu is back as soon as the screen is idle. */
let own = false;
/** @type {(how?: { readonly isRefresh?: boolean }) => void} */
let redraw = () => undefined;

/** @type {(view: MenuView, draw: typeof redraw) => void} */
export function onMenu(view, draw) {
  redraw = draw;
  const wasPairing = shown?.pairing !== undefined;
  shown = view;
  // If it was refused or too late, the answer to the press shows that.
  if (open?.place === 'pairing' && wasPairing && view.pairing === undefined) return go({ place: 'menu' });
  redraw({ isRefresh: true });
}

/** Called when a payment has started, or the terminal is not reachable. */
export function closeMenu() {
  if (own) return;
  clearTimeout(timer);
  open = undefined;
  entry = { text: '' };
  session = undefined;
}

/**
 * The open panel: title, hint, content and the buttons below it. Undefined if the menu is closed.
 * @type {(words: Words) => Panel | undefined}
 */
export function operatorMenu(words) {
  // Its answer has come: the next view belongs to another payment.
  if (open?.place !== 'busy') own = false;
  if (open === undefined || shown === undefined) return undefined;
  return menuPanel({ ...open, shown, entry, rights }, words, actions);
}

/**
 * The menu's data; undefined if there is none.
 * @type {() => MenuView | undefined}
 */
export function menuView() {
  return shown;
}

/** Actions by which the idle screen opens the menu at one of its places. */
const places = /** @type {const} */ (['receipts', 'bank', 'devices', 'about']);

/**
 * `to`: the place to open after the login; the menu if there is no such place.
 * @type {(how?: { readonly to?: string }) => void}
 */
export function openMenu({ to = 'menu' } = {}) {
  const place = places.find((each) => each === to);
  wanted = place && actions[place];
  void ask({ kind: 'look' });
  go({ place: 'locked' });
}

/** @type {(next: Open | undefined) => void} */
function go(next) {
  clearTimeout(timer);
  open = next;
  entry = { text: '' };
  if (next !== undefined && next.place !== 'busy') timer = setTimeout(leave, idleMs);
  redraw();
  arrived(true);
  focusPanel(settledMs);
}

function leave() {
  if (session !== undefined) void ask({ kind: 'logout', session });
  own = false;
  closeMenu();
  go(undefined);
}

/**
 * @template {Kind} K
 * @param {Asked<K> & { readonly session?: string }} body
 * @returns {Promise<Answer<K>>}
 */
async function ask(body) {
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch('desk', { method: 'POST', headers, body: JSON.stringify(body) });
    const { status } = response;
    return status === 200 ? { status, body: await response.json() } : { status, refusal: await response.json() };
  } catch {
    return { status: 0, refusal: {} };
  }
}

/**
 * Sends a request with the session, and calls `then` with the answer if the same panel is still open. After a lost
 * answer the same request may be sent again: one that moves money has its confirmation in it. `paying`: the screen
 * shows its payment meanwhile.
 * @template {Kind} K
 * @param {Asked<K>} body
 * @param {(answer: Answer<K>) => void} then
 * @param {{ readonly paying?: boolean }} [options]
 * @returns {Promise<void>}
 */
async function send(body, then, { paying = false } = {}) {
  const place = /** @type {const} */ ({ place: 'busy' });
  go(place);
  own = paying;
  const answer = await ask({ ...body, session: session ?? '' });
  if (open !== place) return;
  const again = () => void send(body, then, { paying });
  if (answer.status === 0 || answer.status >= 500) go({ place: 'lost', text: answer.refusal?.text, onAgain: again });
  else if (answer.status === 401) {
    wanted = again;
    go({ place: 'locked' });
  } else then(answer);
}

/** @type {(password: string) => Promise<void>} */
async function login(password) {
  const place = /** @type {const} */ ({ place: 'busy' });
  go(place);
  const { body } = await ask({ kind: 'login', password });
  if (open !== place) return;
  if (body?.session === undefined) {
    const waits = body?.waitMs === undefined ? {} : { waitMs: body.waitMs };
    return go({ place: 'locked', reason: body?.reason, ...waits });
  }
  const { session: begun, methodNames, ...allowed } = body;
  session = begun;
  rights = allowed;
  nameMethods(methodNames);
  nameMerchants(allowed.merchants);
  const then = wanted ?? actions.menu;
  wanted = undefined;
  then();
}

/** @type {Actions} */
const actions = menuActions({
  go,
  send: (body, then, options) => void send(body, then, options),
  login: (password) => void login(password),
  leave,
  menu: () => go({ place: session === undefined ? 'locked' : 'menu' }),
  view: () => /** @type {MenuView} */ (shown),
  hasSession: () => session !== undefined,
});
