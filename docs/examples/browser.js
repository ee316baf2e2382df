// A till in a browser. browser.html, this file and client.js (npm run build: dist/client.js) lie beside each other on the
// shop's own server; the terminal's configuration names its origin (http.origins). docs/pos.md, "From a browser".
import { Client, pair } from './client.js';

const posId = 'WEB-1';
const element = (id) => document.getElementById(id);
const show = (id, text) => (element(id).textContent = text);

const terminal = element('terminal');
terminal.value = localStorage.getItem('terminal') ?? terminal.value;
let key = await loadKey();
let client;
let following;
/** The payment under way in this page. */
let running;

function connect() {
  following?.abort();
  following = new AbortController();
  localStorage.setItem('terminal', terminal.value);
  client = new Client({ url: terminal.value, key });
  show('paired', key ? 'paired: calls are signed' : '');
  void follow(client, following.signal);
}

/** What happens at the terminal, for the cashier. It proves nothing: the answer does. */
async function follow(from, signal) {
  for await (const { event, data } of from.events({ posId, signal })) {
    if (event === 'state' && data.messageId === running?.messageId) show('step', data.step ?? data.state);
    if (event === 'receipt' && data.receiptStatus === 'PRINTED' && !running) show('step', 'The receipt is printed.');
  }
}

// A request is stored before it is sent, each under a name of its own: another tab may be paying too.
const storedName = ({ messageId }) => `payment ${messageId}`;
const stored = () =>
  Object.keys(localStorage)
    .filter((name) => name.startsWith('payment '))
    .map((name) => JSON.parse(localStorage.getItem(name)));

async function pay() {
  const random = crypto.getRandomValues(new Uint32Array(4));
  const messageId = `${Date.now()}-${random.join('-')}`;
  const requestAmount = Number(element('amount').value);
  const request = { posId, messageId, transactionType: 'SALE', requestAmount, currency: 'HKD' };
  localStorage.setItem(storedName(request), JSON.stringify(request));
  await conclude(request, () => client.pay(request));
}

/** Waits for the outcome. What is unknown stays stored, and is asked for again. */
async function conclude(request, wait) {
  running = request;
  show('receipt', '');
  show('step', '');
  tell('', 'At the terminal …');
  const { is, answer, trouble } = await wait();
  running = undefined;
  if (is === 'unknown') {
    tell(is, `Not known. Do not charge again. ${answer?.text?.en ?? trouble}`);
    return;
  }
  localStorage.removeItem(storedName(request));
  if (is === 'notDone') {
    tell(is, `Not paid: ${answer.text?.en ?? answer.message}`);
    return;
  }
  const { totalAmount, currency, paymentMethod } = answer.transactionResult ?? answer.transactionPrintData;
  tell(is, `Paid${is === 'undone' ? ', and taken back since' : ''}: ${totalAmount} ${currency} by ${paymentMethod}`);
  const { messageId } = request;
  const copy = await client.receipt({ posId, messageId, copy: 'CUSTOMER', output: 'TEXT' }).catch(() => undefined);
  show('receipt', copy?.responseResult === 'SUCCESS' ? copy.text : '');
}

function tell(is, text) {
  element('outcome').dataset.is = is;
  show('outcome', text);
  element('pay').disabled = is === '' || is === 'unknown';
  element('cancel').disabled = is !== '';
  element('ask').hidden = is !== 'unknown';
}

async function cancel() {
  if (!running) return;
  const answer = await client.cancel(running).catch(({ message }) => ({ message }));
  if (answer.responseResult !== 'SUCCESS') show('step', answer.text?.en ?? answer.message);
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
    show('paired', error.message);
  }
  element('code').hidden = true;
}

function askForCode() {
  element('code').hidden = false;
  element('digits').value = '';
  return new Promise((resolve) => {
    const compare = () => {
      show('paired', 'If the digits are right, press Yes on the terminal.');
      resolve(element('digits').value);
    };
    element('typed').addEventListener('click', compare, { once: true });
  });
}

/** The browser keeps the key and signs with it; no script can read it, not even this one. */
async function keepKey({ keyId, key: hex }) {
  const bytes = Uint8Array.from(hex.match(/../g), (byte) => Number.parseInt(byte, 16));
  const sealed = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const kept = { keyId, key: sealed };
  const store = await openStore('readwrite');
  await done(store.put(kept, 'key'));
  return kept;
}

async function loadKey() {
  const store = await openStore('readonly');
  return done(store.get('key'));
}

async function openStore(mode) {
  const opening = indexedDB.open('till');
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore('keys'));
  const database = await done(opening);
  return database.transaction('keys', mode).objectStore('keys');
}

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
