// The operator's menu of an idle screen: its open panel, its session, and its requests to the terminal.
import { deskActions } from './desk-actions.js';
import { focusPanel } from './desk-keys.js';
import { nameMethods } from './desk-names.js';
import { deskPanel } from './desk-panel.js';
import { arrived } from './presses.js';

/** The terminal ends an idle session after this time; the page must then hide its content. */
const idleMs = 60_000;
/** When the buttons of a new panel can be pressed. */
const settledMs = 360;

/** The last view of the menu; undefined until the terminal has sent one. */
let told;
let session;
/** What the terminal allows: the greatest refund without its sale, and whether it holds money. */
let rights = {};
/** The open panel with its data; undefined if the menu is closed. */
let open;
/** What was typed into it: the terminal may tell something new meanwhile, and the panel is drawn anew. */
let entry = { text: '' };
let timer;
/** Where to go after the login; the menu if undefined. */
let wanted;
/** The operator's own payment is on the screen. The menu is back as soon as the screen is idle. */
let own = false;
let redraw = () => undefined;

export function onDesk(view, draw) {
  redraw = draw;
  const wasPairing = told?.pairing !== undefined;
  told = view;
  // Refused or too late: the answer to the press tells it.
  if (open?.place === 'pairing' && wasPairing && view.pairing === undefined) return go({ place: 'menu' });
  redraw({ isRetold: true });
}

/** Called when a payment has started, or the terminal is not reachable. */
export function closeDesk() {
  if (own) return;
  clearTimeout(timer);
  open = undefined;
  entry = { text: '' };
  session = undefined;
}

/** The open panel: title, hint, content and the buttons below it. Undefined if the menu is closed. */
export function desk(words) {
  // Its answer has come: whatever is shown next is another's.
  if (open?.place !== 'busy') own = false;
  if (open === undefined || told === undefined) return undefined;
  return deskPanel({ ...open, told, entry, rights }, words, actions);
}

/** What the menu is told; undefined if there is none. */
export function deskView() {
  return told;
}

/** Actions by which the idle screen opens the menu at one of its places. */
const places = ['receipts', 'bank', 'devices', 'about'];

/** `to`: what is opened once the password was right; the menu where there is no such place. */
export function openDesk({ to = 'menu' } = {}) {
  wanted = places.includes(to) ? actions[to] : undefined;
  void ask({ kind: 'look' });
  go({ place: 'locked' });
}

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
  closeDesk();
  go(undefined);
}

async function ask(body) {
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch('desk', { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  } catch {
    return { status: 0, body: {} };
  }
}

/**
 * Sends a request with the session, and calls `then` with the answer if the same panel is still open. After a lost
 * answer the same request may be sent again: one that moves money has its confirmation in it. `paying`: the screen shows
 * its payment meanwhile.
 */
async function send(body, then, { paying = false } = {}) {
  const place = { place: 'busy' };
  go(place);
  own = paying;
  const answer = await ask({ ...body, session });
  if (open !== place) return;
  const again = () => send(body, then, { paying });
  if (answer.status === 0 || answer.status >= 500) go({ place: 'lost', text: answer.body.text, onAgain: again });
  else if (answer.status === 401) {
    wanted = again;
    go({ place: 'locked' });
  } else then(answer);
}

async function login(password) {
  const place = { place: 'busy' };
  go(place);
  const { body } = await ask({ kind: 'login', password });
  if (open !== place) return;
  if (body.session === undefined) return go({ place: 'locked', reason: body.reason, waitMs: body.waitMs });
  const { session: begun, methodNames, ...allowed } = body;
  session = begun;
  rights = allowed;
  nameMethods(methodNames);
  const then = wanted ?? actions.menu;
  wanted = undefined;
  then();
}

const actions = deskActions({
  go,
  send,
  login,
  leave,
  menu: () => go({ place: session === undefined ? 'locked' : 'menu' }),
  told: () => told,
  hasSession: () => session !== undefined,
});
