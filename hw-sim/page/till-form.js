import { element } from './element.js';
import { addCall } from './till-calls.js';
/** @import { FormField, TillBody } from './types.ts' */

const kinds = [
  'SALE',
  'AUTH',
  'AUTH_COMP',
  'OFFLINE_SALE',
  'REFUND',
  'TIP_ADJUST',
  'VOID',
  'VOID_SALE',
  'VOID_AUTH',
  'VOID_AUTH_COMP',
  'VOID_OFFLINE',
  'VOID_REFUND',
];
const instruments = [
  'CARD',
  'QR',
  'OCTOPUS',
  'EPS',
  'CASH',
  'VISA',
  'MASTER',
  'AMEX',
  'JCB',
  'UNIONPAY',
  'DINERS',
  'DISCOVER',
  'ALIPAY',
  'WECHAT',
  'FPS',
  'UPI_QR',
];

/**
 * Fields of each call: name, kind, and the choices of a list. Empty fields are omitted.
 * @type {Readonly<Record<string, readonly FormField[]>>}
 */
const calls = {
  payment: [
    ['transactionType', 'list', kinds],
    ['requestAmount', 'number'],
    ['currency', 'currency'],
    ['originalTerminalTransactionId', 'text'],
    ['tipAmount', 'number'],
    ['askTip', 'yes'],
    ['cashbackAmount', 'number'],
    ['preferredEntryMode', 'list', ['', 'DEFAULT', 'CARD', 'QR_SCAN', 'QR_PRESENT', 'CASH']],
    ['preferredInstrument', 'list', ['', ...instruments]],
    ['forceAcquirer', 'list', ['', 'EDC', 'CUP', 'QR', 'EPS', 'OCTOPUS', 'CASH']],
    ['approvalCode', 'text'],
    ['collectTimeoutSeconds', 'number'],
    ['cashierId', 'text'],
    ['shiftId', 'text'],
    ['posReference', 'text'],
    ['messageId', 'text'],
  ],
  enquiry: [['messageId', 'text']],
  cancel: [['messageId', 'text']],
  settlement: [['acquirer', 'list', ['', 'EDC', 'CUP', 'QR', 'EPS', 'OCTOPUS']]],
  receipt: [
    ['messageId', 'text'],
    ['copy', 'list', ['', 'CUSTOMER', 'MERCHANT']],
    ['output', 'list', ['', 'PRINT', 'TEXT', 'PNG', 'DATA']],
  ],
  status: [],
  capabilities: [],
  transactions: [],
};
const gets = new Set(['status', 'capabilities', 'transactions']);

/**
 * Every request with its fields. `send` sends what is filled in.
 * @type {(form: HTMLFormElement, currencies: readonly string[]) => { send(): void }}
 */
export function makeTillForm(form, currencies) {
  const call = element('select');
  call.ariaLabel = 'Call';
  call.append(...Object.keys(calls).map((name) => element('option', name)));
  const fields = element('div', '', 'till-fields');
  const button = element('button', 'Send');
  button.type = 'submit';
  form.append(call, fields, button);
  form.addEventListener('submit', (event) => event.preventDefault());
  const draw = () => fields.replaceChildren(...(calls[call.value] ?? []).map((each) => drawnField(each, currencies)));
  call.addEventListener('change', draw);
  draw();
  return {
    send() {
      if (form.reportValidity()) void addCall(call.value, bodyOf(fields), gets.has(call.value) ? 'GET' : 'POST');
    },
  };
}

/** @type {(field: FormField, currencies: readonly string[]) => HTMLElement} */
function drawnField([name, kind, choices = []], currencies) {
  const label = element('label', `${name} `);
  const input = kind === 'list' || kind === 'currency' ? element('select') : element('input');
  input.name = name;
  input.dataset.kind = kind;
  const options = kind === 'currency' ? currencies : choices;
  if (options.length > 0) input.append(...options.map((each) => element('option', each)));
  if (input instanceof HTMLInputElement && kind === 'yes') input.type = 'checkbox';
  if (input instanceof HTMLInputElement && kind === 'number') {
    input.inputMode = 'decimal';
    input.pattern = '\\d{1,9}(\\.\\d{1,3})?';
  }
  if (name === 'requestAmount') input.value = '30';
  label.append(input);
  return label;
}

/** @type {(fields: HTMLElement) => TillBody} */
function bodyOf(fields) {
  /** @type {Record<string, unknown>} */
  const body = {};
  for (const input of fields.querySelectorAll('input, select')) {
    if (!(input instanceof HTMLInputElement || input instanceof HTMLSelectElement)) continue;
    const { kind } = input.dataset;
    if (input instanceof HTMLInputElement && kind === 'yes') {
      if (input.checked) body[input.name] = true;
    } else if (input.value !== '') body[input.name] = kind === 'number' ? Number(input.value) : input.value;
  }
  return body;
}
