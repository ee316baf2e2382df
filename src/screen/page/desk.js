// The operator's menu of an idle screen: its open panel, its data, and its requests to the terminal.
import { deskPanel } from './desk-panel.js';
import { waitingRows } from './desk-waiting.js';
import { arrived } from './presses.js';

/** The terminal ends an idle session after this time; the page must then hide its content. */
const idleMs = 60_000;

/** The last view of the menu; undefined until the terminal has sent one. */
let told;
let session;
/** The open panel with its data; undefined if the menu is closed. */
let open;
/** What was typed into it: the terminal may tell something new meanwhile, and the panel is drawn anew. */
let entry = { text: '' };
let timer;
let wanted = 'menu';
let redraw = () => undefined;

export function onDesk(view, draw) {
  redraw = draw;
  const wasPairing = told?.pairing !== undefined;
  told = view;
  // Refused or too late: the answer to the press tells it.
  if (open?.place === 'pairing' && wasPairing && view.pairing === undefined) return go({ place: 'menu' });
  redraw();
}

/** Called when a payment has started, or the terminal is not reachable. */
export function closeDesk() {
  clearTimeout(timer);
  open = undefined;
  entry = { text: '' };
  session = undefined;
}

/** The open panel: title, hint, content and the buttons below it. Undefined if the menu is closed. */
export function desk(words) {
  return open === undefined || told === undefined ? undefined : deskPanel({ ...open, told, entry }, words, actions);
}

/** What the menu is told; undefined if there is none. */
export function deskView() {
  return told;
}

/** `to`: the action that is done once the password was right, if there is one of this name. */
export function openDesk({ to = 'menu' } = {}) {
  wanted = to;
  void ask({ kind: 'look' });
  go({ place: 'locked' });
}

function go(next) {
  clearTimeout(timer);
  open = next;
  entry = { text: '' };
  if (next !== undefined && next.place !== 'busy') timer = setTimeout(() => actions.leave(), idleMs);
  redraw();
  arrived(true);
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

/** Sends a request with the session. `then` is called after a success, if the same panel is still open. */
async function asked(body, then) {
  const place = { place: 'busy', what: body.kind };
  go(place);
  const answer = await ask({ ...body, session });
  if (open !== place) return;
  if (answer.status === 200) then(answer.body);
  else if (answer.status === 401) go({ place: 'locked' });
  else go({ place: 'said', what: 'refused', ...(reasons.has(answer.body.reason) ? { why: answer.body.reason } : {}) });
}

/** Reasons of refusals that the page has words for. */
const reasons = new Set(['busy', 'tooEarly', 'notWaiting']);
const printerReasons = new Set(['paper-out', 'cover-open', 'absent', 'error']);

const actions = {
  async login(password) {
    const place = { place: 'busy', what: 'login' };
    go(place);
    const { body } = await ask({ kind: 'login', password });
    if (open !== place) return;
    if (body.session !== undefined) {
      session = body.session;
      await (actions[wanted] ?? actions.menu)();
    } else go({ place: 'locked', reason: body.reason, waitMs: body.waitMs });
  },
  leave() {
    if (session !== undefined) void ask({ kind: 'logout', session });
    closeDesk();
    go(undefined);
  },
  menu: () => go({ place: session === undefined ? 'locked' : 'menu' }),
  about: () => go({ place: 'about' }),
  settlement: () => go({ place: 'sure', what: 'settle', onYes: actions.settle }),
  settle: () => asked({ kind: 'settle' }, ({ settlements }) => go({ place: 'said', what: 'settled', settlements })),
  list: () => asked({ kind: 'list' }, ({ transactions }) => go({ place: 'list', transactions, first: 0 })),
  receipts: () => asked({ kind: 'receipts' }, ({ transactions }) => go({ place: 'receipts', transactions, first: 0 })),
  async printReceipt({ id }) {
    const place = { place: 'busy', what: 'printReceipt' };
    go(place);
    const { status, body } = await ask({ kind: 'printReceipt', session, transaction: id });
    if (open !== place) return;
    if (status === 401) go({ place: 'locked' });
    else if (status === 200 && body.reason === undefined) go({ place: 'said', what: 'printed' });
    else go({ place: 'said', what: 'notPrinted', ...(printerReasons.has(body.reason) ? { why: body.reason } : {}) });
  },
  more: (list, first) => go({ ...list, first }),
  choose: (transaction) => go({ place: 'sure', what: 'void', transaction, onYes: () => actions.voided(transaction) }),
  voided({ id, amount, currency }) {
    return asked({ kind: 'void', transaction: id, amount, currency }, finished);
  },
  bank: () => asked({ kind: 'waiting' }, (body) => go({ place: 'waiting', transactions: waitingRows(body), first: 0 })),
  waits: (transaction) => go({ place: 'waits', transaction }),
  told(transaction, outcome) {
    go({ place: 'sure', what: 'aside', transaction, outcome, onYes: () => actions.setAside(transaction, outcome) });
  },
  setAside: ({ id }, outcome) =>
    asked({ kind: 'setAside', transaction: id, outcome }, () => go({ place: 'said', what: 'asideDone' })),
  batch: (batch) => go({ place: 'batch', batch }),
  toldBatch(batch, outcome) {
    go({ place: 'sure', what: 'batch', batch, outcome, onYes: () => actions.decideBatch(batch, outcome) });
  },
  decideBatch({ acquirer, batch, currency }, outcome) {
    const what = `batch${outcome === 'SETTLED' ? 'Done' : 'Open'}`;
    return asked({ kind: 'decideBatch', acquirer, batch, currency, outcome }, () => go({ place: 'said', what }));
  },
  refund: () => go({ place: 'refund' }),
  refunded: (amount) => asked({ kind: 'refund', amount, currency: told.price.currency }, finished),
  pair: () => asked({ kind: 'pair' }, () => go({ place: 'pairing' })),
  decide(yes, code) {
    return asked({ kind: 'decide', yes, code }, () =>
      go(yes ? { place: 'said', what: 'paired' } : { place: told.pairing === undefined ? 'menu' : 'pairing' }),
    );
  },
};

/** Called after a payment of the operator: its outcome was already shown on the screen. */
function finished({ responseResult }) {
  go({ place: 'said', what: responseResult === 'SUCCESS' ? 'done' : 'refused' });
}
