// A till in a browser. browser.html, this file and client.js (npm run build: dist/client.js) lie beside each other on the
// shop's own server; the terminal's configuration names its origin (http.origins). docs/pos.md, "From a browser".
import { Client, pair } from './client.js';
/** @import { Identity, Outcome, TillKey } from './client.js' */
/** @typedef {{ totalAmount: number, currency: string, paymentMethod: string, refundedAmount?: number }} Result */
/** @typedef {Identity & { transactionType: string, requestAmount: number, currency: string }} Payment */

const posId = 'WEB-1';
// browser.html has all of them.
const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const input = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (element(id));
const button = (/** @type {string} */ id) => /** @type {HTMLButtonElement} */ (element(id));
/** @type {(id: string, text: string) => void} */
const show = (id, text) => {
  element(id).textContent = text;
};

const terminal = input('terminal');
terminal.value = localStorage.getItem('terminal') ?? terminal.value;
let key = await loadKey();
/** @type {Client} */
let client;
/** @type {AbortController | undefined} */
let following;
/**
 * The payment under way in this page.
 * @type {Payment | undefined}
 */
let running;

function connect() {
  following?.abort();
  following = new AbortController();
  localStorage.setItem('terminal', terminal.value);
  client = new Client({ url: terminal.value, key });
  show('paired', key ? 'paired: calls are signed' : '');
  void follow(client, following.signal);
}

/**
 * What happens at the terminal, for the cashier. It proves nothing: the answer does.
 * @type {(from: Client, signal: AbortSignal) => Promise<void>}
 */
async function follow(from, signal) {
  for await (const { event, data } of from.events({ posId, signal })) {
    if (event === 'state' && data.messageId === running?.messageId) show('step', String(data.step ?? data.state));
    if (event === 'receipt' && data.receiptStatus === 'PRINTED' && !running) show('step', 'The receipt is printed.');
  }
}

// A request is stored before it is sent, each under a name of its own: another tab may be paying too.
const storedName = (/** @type {Payment} */ { messageId }) => `payment ${messageId}`;
/** @type {() => Payment[]} */
const stored = () =>
  Object.keys(localStorage)
    .filter((name) => name.startsWith('payment '))
    .map((name) => JSON.parse(localStorage.getItem(name) ?? 'null'));

async function pay() {
  const random = crypto.getRandomValues(new Uint32Array(4));
  const messageId = `${Date.now()}-${random.join('-')}`;
  const requestAmount = Number(input('amount').value);
  const request = { posId, messageId, transactionType: 'SALE', requestAmount, currency: 'HKD' };
  localStorage.setItem(storedName(request), JSON.stringify(request));
  await conclude(request, () => client.pay(request));
}

/**
 * Waits for the outcome. What is unknown stays stored, and is asked for again.
 * @type {(request: Payment, wait: () => Promise<Outcome>) => Promise<void>}
 */
async function conclude(request, wait) {
  running = request;
  show('receipt', '');
  show('step', '');
  tell('', 'At the terminal …');
  const outcome = await wait();
  running = undefined;
  if (outcome.is === 'unknown') {
    tell(outcome.is, `Not known. Do not charge again. ${outcome.answer?.text?.en ?? outcome.trouble}`);
    return;
  }
  const { is, answer } = outcome;
  localStorage.removeItem(storedName(request));
  if (is === 'notDone') {
    tell(is, `Not paid: ${answer.text?.en ?? answer.message}`);
    return;
  }
  const { totalAmount, currency, paymentMethod, refundedAmount } = /** @type {Result} */ (
    answer.transactionResult ?? answer.transactionPrintData
  );
  const part = refundedAmount === undefined ? '' : `, and ${refundedAmount} ${currency} of it refunded since`;
  tell(is, `Paid${is === 'undone' ? ', and taken back since' : part}: ${totalAmount} ${currency} by ${paymentMethod}`);
  const { messageId } = request;
  const copy = await client.receipt({ posId, messageId, copy: 'CUSTOMER', output: 'TEXT' }).catch(() => undefined);
  /** @type {{ text?: unknown }} */
  const { text } = copy?.responseResult === 'SUCCESS' ? copy : {};
  show('receipt', typeof text === 'string' ? text : '');
}

/** @type {(is: Outcome['is'] | '', text: string) => void} */
function tell(is, text) {
  element('outcome').dataset.is = is;
  show('outcome', text);
  button('pay').disabled = is === '' || is === 'unknown';
  button('cancel').disabled = is !== '';
  element('ask').hidden = is !== 'unknown';
}

async function cancel() {
  if (!running) return;
  try {
    const answer = await client.cancel(running);
    if (answer.responseResult !== 'SUCCESS') show('step', answer.text?.en ?? answer.message ?? '');
  } catch (error) {
    show('step', messageOf(error));
  }
}

/** After a crash, a reload, or an outcome that was not known. */
async function recover() {
  for (const request of stored()) await conclude(request, () => client.outcome(request));
}

async function agree() {
  if (!isSecureContext) {
    show('paired', 'A browser signs on pages of https: or localhost only.');
    return;
  }
  show('paired', 'Waiting for the terminal …');
  try {
    const made = await pair({ url: terminal.value, posId, typedCode: askForCode });
    key = await keepKey(made);
    connect();
  } catch (error) {
    show('paired', messageOf(error));
  }
  element('code').hidden = true;
}

function askForCode() {
  element('code').hidden = false;
  input('digits').value = '';
  return new Promise((/** @type {(digits: string) => void} */ resolve) => {
    const compare = () => {
      show('paired', 'If the digits are right, press Yes on the terminal.');
      resolve(input('digits').value);
    };
    element('typed').addEventListener('click', compare, { once: true });
  });
}

/** @type {(error: unknown) => string} */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The browser keeps the key and signs with it; no script can read it, not even this one.
 * @type {(made: { keyId: string, key: string }) => Promise<TillKey>}
 */
async function keepKey({ keyId, key: hex }) {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  const sealed = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const kept = { keyId, key: sealed };
  const store = await openStore('readwrite');
  await done(store.put(kept, 'key'));
  return kept;
}

/** @type {() => Promise<TillKey | undefined>} */
async function loadKey() {
  const store = await openStore('readonly');
  return done(store.get('key'));
}

/** @type {(mode: IDBTransactionMode) => Promise<IDBObjectStore>} */
async function openStore(mode) {
  const opening = indexedDB.open('till');
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore('keys'));
  const database = await done(opening);
  return database.transaction('keys', mode).objectStore('keys');
}

/**
 * @template Result
 * @param {IDBRequest<Result>} request
 * @returns {Promise<Result>}
 */
function done(request) {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}

element('pay').addEventListener('click', () => void pay());
element('cancel').addEventListener('click', () => void cancel());
element('ask').addEventListener('click', () => void recover());
element('pair').addEventListener('click', () => void agree());
terminal.addEventListener('change', connect);
connect();
await recover();
