import { $, button, element, show } from './element.js';
import { clientOf, curlOf } from './till-code.js';
/** @import { Call, DrawnCall, PosAnswer, TillBody } from './types.ts' */

const posId = 'POS-1';
const keptMax = 30;

/** Calls with an identity: the terminal keeps one transaction for each identity permanently. */
const withIdentity = new Set(['payment', 'settlement', 'enquiry', 'cancel', 'receipt']);

let api = '';
let numbers = 0;

/** @type {(origin: string) => void} */
export function showApi(origin) {
  api = origin;
}

/**
 * Sends a call and keeps it with its answer, on top of those before. `fields`: without the identity, unless it is
 * given. Resolves with the answer.
 * @type {(path: string, fields: TillBody, method?: Call['method']) => Promise<void>}
 */
export function addCall(path, fields, method = 'POST') {
  const body =
    method === 'GET' ? undefined : withIdentity.has(path) ? { posId, messageId: newId(), ...fields } : fields;
  const call = { path, method, ...(body !== undefined && { body }) };
  const shown = drawnCall(call);
  document.querySelector('#till-calls .nothing')?.remove();
  $('#till-calls').prepend(shown.box);
  for (const old of [...$('#till-calls').children].slice(keptMax)) old.remove();
  return send(call, shown);
}

/** Another browser, and the same one after a reload, must not use an identity again. */
function newId() {
  numbers += 1;
  return `${Date.now().toString(36)}-${numbers}`.toUpperCase();
}

/** @type {(call: Call, shown: DrawnCall) => Promise<void>} */
async function send(call, shown) {
  shown.wait();
  try {
    const response = await fetch('/api/till/call', { method: 'POST', body: JSON.stringify(call) });
    const answer = await response.json();
    if (response.ok) shown.done(answer);
    else shown.failed(answer.error);
  } catch {
    shown.failed('The simulator does not answer.');
  }
}

/** @type {(call: Call) => string} */
function titleOf({ path, method, body = {} }) {
  const { transactionType, currency, requestAmount } = body;
  if (path !== 'payment') return `${method} ${path}`;
  return [transactionType, currency, requestAmount].filter((each) => each !== undefined).join(' ');
}

/** @type {(call: Call) => DrawnCall} */
function drawnCall(call) {
  const box = element('article', '', 'call');
  const head = element('h3', `${titleOf(call)} `);
  const state = element('span', '', 'pill');
  head.append(state);
  const answered = element('p', '', 'answer');
  const acts = element('p', '', 'acts');
  const answer = part('Answer', '');
  const parts = element('div');
  parts.append(
    part('Request', call.body === undefined ? `GET /sp/v1/${call.path}` : pretty(call.body)).box,
    answer.box,
    part('curl', curlOf(api, call), noteOf(call)).box,
    part('poid/client', clientOf(api, call), noteOf(call)).box,
  );
  answer.box.hidden = true;
  box.append(head, answered, acts, parts);
  return {
    box,
    wait() {
      show(state, 'waits', 'pill busy');
      show(answered, call.path === 'payment' ? 'The terminal answers when the payment is over.' : '');
      acts.replaceChildren(...(call.path === 'payment' ? [button('Cancel', () => addCall('cancel', idOf(call)))] : []));
    },
    done({ status, body: text, ms }) {
      const parsed = parse(text);
      const result = parsed?.responseResult ?? `HTTP ${status}`;
      const good =
        parsed === undefined ? status < 400 : parsed.responseResult === undefined ? status < 400 : result === 'SUCCESS';
      show(state, result, `pill ${good ? 'good' : 'bad'}`);
      show(answered, sentenceOf(status, parsed, ms));
      answer.show(parsed === undefined ? text : pretty(parsed));
      answer.box.hidden = false;
      acts.replaceChildren(...nextOf(call, parsed));
    },
    failed(why) {
      show(state, 'no answer', 'pill bad');
      // A till must not guess: the payment may have been made.
      show(
        answered,
        call.path === 'payment' ? `${why}. What became of it is not known yet: Enquire asks the terminal.` : why,
      );
      acts.replaceChildren(...nextOf(call, undefined));
    },
  };
}

/** @type {(call: Call) => TillBody} */
function idOf({ body: { posId, messageId } = {} }) {
  return { posId, messageId };
}

/**
 * The outcome of the payment comes first, because the till needs it.
 * @type {(status: number, answer: PosAnswer | undefined, ms: number) => string}
 */
function sentenceOf(status, answer, ms) {
  const { transactionResult = {}, message, financialImpact } = answer ?? {};
  const { paymentMethod, maskedPan, approvalCode } = transactionResult;
  const card = [paymentMethod, maskedPan, approvalCode && `approval ${approvalCode}`].filter(Boolean).join(' ');
  return [
    message ?? card,
    financialImpact && `financialImpact ${financialImpact}`,
    `HTTP ${status}, ${(ms / 1000).toFixed(1)} s`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/**
 * Buttons for the next steps that a till may take after a call.
 * @type {(call: Call, answer: PosAnswer | undefined) => HTMLElement[]}
 */
function nextOf(call, answer) {
  const { path, method, body } = call;
  const again = button('Again', () => addCall(path, withoutId(body), method));
  again.title = 'The same fields under a new messageId';
  const next = [again];
  if (path === 'payment') {
    const replay = button('Replay', () => addCall(path, body ?? {}, method));
    replay.title = 'The very same request: the terminal gives the same answer, and charges nothing again';
    next.push(
      replay,
      button('Enquire', () => addCall('enquiry', idOf(call))),
    );
  }
  const id = answer?.terminalTransactionId;
  if (answer?.responseResult !== 'SUCCESS' || path !== 'payment' || id === undefined) return next;
  const { transactionType = '', currency, requestAmount } = body ?? {};
  if (['SALE', 'AUTH', 'OFFLINE_SALE', 'AUTH_COMP', 'REFUND'].includes(transactionType)) {
    next.push(
      button('Void', () =>
        addCall('payment', { transactionType: 'VOID', originalTerminalTransactionId: id, requestAmount, currency }),
      ),
    );
  }
  return next;
}

/** @type {(body?: TillBody) => TillBody} */
function withoutId(body = {}) {
  const { posId: _, messageId: __, ...fields } = body;
  return fields;
}

/**
 * A note on the effect of a copied call.
 * @type {(call: Call) => string}
 */
function noteOf({ body = {} }) {
  if (body.messageId === undefined) return 'Paste it into a shell, or a file.';
  return 'As it stands it is a repeat: the same messageId gets the same answer, and nothing is charged again. Change messageId for a new one.';
}

/**
 * A text that can be opened; with a note it can be copied.
 * @type {(title: string, text: string | undefined, note?: string) => { box: HTMLElement, show: (given: string) => void }}
 */
function part(title, text, note) {
  const box = element('details');
  const code = element('pre');
  const summary = element('summary', title);
  code.tabIndex = 0;
  code.ariaLabel = title;
  box.append(summary, code);
  box.hidden = text === undefined;
  show(code, text ?? '');
  if (note !== undefined) {
    const copy = button('Copy', async (made) => {
      await navigator.clipboard.writeText(code.textContent);
      show(made, 'Copied');
    });
    box.append(copy, element('p', note, 'note'));
  }
  return { box, show: (given) => show(code, given) };
}

/** @type {(value: unknown) => string} */
function pretty(value) {
  return JSON.stringify(value, null, 2);
}

/** @type {(text: string) => PosAnswer | undefined} */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
