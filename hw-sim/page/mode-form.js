import { element } from './element.js';
import { changeHost, isSelective, modeOf } from './host-mode.js';
import { valueText } from './mode-text.js';
/** @import { BooksKind, Host, ModeEntry } from './types.ts' */

const modes = {
  up: 'answers',
  down: 'can’t be reached',
  silent: 'carries out, never answers',
  late: 'carries out, answers late',
  garbage: 'carries out, answers garbage',
  duplicate: 'answers twice',
  closeAfterRequest: 'carries out, hangs up',
};
const cardModes = { ...modes, overtaken: 'hangs up, carries out late' };

const cardCodes = {
  '05': 'do not honour',
  51: 'insufficient funds',
  54: 'expired card',
  61: 'over the limit',
  91: 'issuer not available',
};
const walletCodes = { 1201: 'insufficient balance', 1202: 'code wrong or expired', 1204: 'bank error', 1205: 'failed' };

/** @type {Readonly<Record<string, Readonly<Record<string, string>>>>} */
const choices = {
  approveAdvices: { '': '00', '08': '08', 10: '10', 11: '11', 16: '16' },
  duplicates: { '': '94, an advice 00', 94: '94 for ever' },
  settled: { '': 'acknowledged', countedTwice: 'counted twice', refused: 'refused' },
  tlsFault: {
    '': 'succeeds',
    expired: 'certificate is over',
    wrongName: 'certificate of another name',
    otherCa: 'certificate of an unknown authority',
    noClientCertificate: 'wants another client certificate',
    oldVersion: 'TLS 1.1 at most',
    cutHandshake: 'cut',
  },
  signOn: { '': 'approved', refused: 'refused', silent: 'not answered', forgotten: 'approved and forgotten' },
  keyExchange: { '': 'approved', refused: 'refused', silent: 'not answered', wrongCheckValue: 'wrong check value' },
  keysOutOfStep: { '': 'in step', announced: 'out of step, and says so', forgotten: 'out of step, under its own key' },
  siteFault: { '': 'none', siteLost: 'each message cuts the line', siteSilent: 'silent' },
  answerSignature: {
    '': 'its text',
    data: 'its fields, as published',
    none: 'not at all',
    unpublished: 'lists in its own way',
  },
  answerSignType: { '': 'as requests are', MD5: 'MD5', SHA256: 'SHA256' },
  queryTime: { '': 'its own time', txdtm: 'the terminal’s time' },
};
const scripts = { '': 'none', 71: '71, before the end', 72: '72, after it' };
const outcomes = { '': 'told', unknown: 'not told: carried out', unknownLost: 'not told: never booked' };

/**
 * name, label, kind. `only`: with modes that strike at some messages only. `off`: what unchecked means.
 * @type {readonly ModeEntry[]}
 */
const cardFields = [
  ['coversMinor', 'covers of a sale (minor units)', 'number'],
  ['declineByAmount', 'cents decline: 10.51 with 51', 'check'],
  ['faultByAmount', 'cents choose a fault: 10.80 is not answered', 'check'],
  ['atMessage', 'only at the n-th request', 'number'],
  ['declineVoids', 'decline voids with', 'code'],
  ['refuseReversals', 'refuse reversals with', 'code'],
  ['reversals', 'also reversals (silent, late)', 'check'],
  ['advices', 'also advices', 'check', { only: true }],
  ['settlement', 'also settlement', 'check', { only: true }],
  ['script', 'script for a chip', 'script'],
  ['mismatch', 'totals of the next settlement differ', 'check'],
  ['settled', 'a settled batch again', 'settled'],
  ['settledCode', 'refused with', 'code'],
  ['settledRepeats', 'also its repeats', 'check'],
  ['duplicates', 'a repeated message', 'duplicates'],
  ['approveAdvices', 'post advices with', 'approveAdvices'],
  ['rejectAdvices', 'reject advices with', 'code'],
  ['lateAnswer', 'answers late after the reversal (overtaken)', 'check'],
  ['keepAliveMs', 'empty frames every, ms', 'number'],
  ['secondBitmap', 'an empty second bitmap', 'check'],
  ['extraFields', 'fields, as 44:BDBB 37:', 'extra'],
  ['tlsFault', 'handshake of TLS', 'tlsFault'],
  ['wrongMac', 'wrong authentication codes', 'check'],
  ['acceptsUsedKeys', 'accepts keys that were used before', 'check'],
  ['signOn', 'sign-ons', 'signOn'],
  ['silentEchoes', 'echoes are not answered', 'check'],
  ['keyExchange', 'exchanges of keys', 'keyExchange'],
  ['keysOutOfStep', 'its working key', 'keysOutOfStep'],
  ['siteFault', 'fault of the site', 'siteFault'],
];
/** @type {readonly ModeEntry[]} */
const walletFields = [
  ['atMessage', 'only at the n-th request', 'number'],
  ['declineRefunds', 'decline refunds with', 'code'],
  ['outcome', 'outcome', 'outcome'],
  ['close', 'can’t close codes', 'check', { whenOn: false }],
  ['badCode', 'damaged code to show', 'check'],
  ['badSignature', 'wrong signature', 'check'],
  ['answerSignature', 'signs', 'answerSignature'],
  ['answerSignType', 'signs with', 'answerSignType'],
  ['wrongAmount', 'wrong amount', 'check'],
  ['queryLagMs', 'enquiries lag, ms', 'number'],
  ['queryTime', 'enquiry window by', 'queryTime'],
  ['clockOffsetMs', 'clock ahead, ms', 'signed'],
  ['utcOffsetMinutes', 'minutes east of UTC', 'signed'],
  ['excessRefunds', 'refuse excess refunds with', 'code'],
  ['unknownOrder', 'unknown order: answer', 'code'],
  ['processingEnquiries', 'enquiries while processing', 'number'],
  ['reversals', 'also reversals (silent, late)', 'check'],
  ['enquiries', 'also enquiries', 'check', { only: true }],
];

/**
 * How a host treats the next messages. Every change is sent at once. Returns the form and a function that shows the
 * host's state.
 * @type {(id: string, kind: BooksKind) => { form: HTMLFormElement, showState: (host: Host) => void }}
 */
export function makeModeForm(id, kind) {
  const form = element('form', '', 'mode');
  const wallets = kind === 'wallets';
  const codes = wallets ? walletCodes : cardCodes;
  const list = codeList(`codes-${id}`, codes);
  const more = element('details', '', 'faults');
  more.append(element('summary', 'More that can go wrong'));
  const shows = [
    addField(form, id, ['mode', 'host', 'mode']),
    addField(form, id, ['delayMs', 'delay, ms', 'number']),
    addField(form, id, ['decline', 'decline with', 'code']),
    ...(wallets ? walletFields : cardFields).map((field) => addField(more, id, field)),
  ];
  form.append(list, more);
  form.addEventListener('submit', (event) => event.preventDefault());
  let seen = '[]';
  /** @type {(host: Host) => void} */
  const showState = (host) => {
    for (const each of shows) each(host);
    const isHere = (/** @type {string} */ name) => more.querySelector(`[name="${name}"]`) !== null;
    const set = JSON.stringify(Object.entries(modeOf(host)).filter(([name]) => isHere(name)));
    // A field that was just set elsewhere must be visible.
    if (set !== seen && set !== '[]') more.open = true;
    seen = set;
  };
  return { form, showState };
}

/** @type {(id: string, codes: Readonly<Record<string, string>>) => HTMLElement} */
function codeList(id, codes) {
  const list = element('datalist');
  list.id = id;
  for (const [code, meaning] of Object.entries(codes)) {
    const option = element('option', meaning);
    option.value = code;
    list.append(option);
  }
  return list;
}

/** @type {(box: HTMLElement, id: string, entry: ModeEntry) => (host: Host) => void} */
function addField(box, id, [name, label, kind, { only = false, whenOn = true } = {}]) {
  const control = controlOf(id, kind);
  const checkbox = kind === 'check' && control instanceof HTMLInputElement ? control : undefined;
  control.name = name;
  const labelled = element('label', kind === 'check' ? '' : `${label} `, kind === 'check' ? 'check' : '');
  labelled.append(control, ...(kind === 'check' ? [` ${label}`] : []));
  box.append(labelled);
  const wanted = () => {
    if (checkbox) return checkbox.checked ? whenOn : undefined;
    if (control.value === '') return undefined;
    if (kind === 'extra') return extraFields(control.value);
    return kind === 'number' || kind === 'signed' ? Number(control.value) : control.value;
  };
  /** @type {Host | undefined} */
  let latest;
  let changing = 0;
  /** @type {(host: Host) => void} */
  const showState = (host) => {
    latest = host;
    control.disabled = only && !isSelective(host.mode);
    // Neither while the user types in it, nor while a change is being sent.
    if (changing > 0 || (document.activeElement === control && kind !== 'check')) return;
    const now = modeOf(host)[name];
    if (checkbox) checkbox.checked = now === whenOn;
    else control.value = valueText(now);
  };
  control.addEventListener('change', () => {
    if (!control.reportValidity()) return;
    changing += 1;
    void changeHost(id, { [name]: wanted() }).then((answer) => {
      changing -= 1;
      // Refused: the current value is shown again.
      if (!answer) control.blur();
      const host = answer ?? latest;
      if (host) showState(host);
    });
  });
  return showState;
}

/**
 * '44:BDBB 37:' → 44 with two bytes, and no 37.
 * @type {(text: string) => Readonly<Record<string, string | null>>}
 */
function extraFields(text) {
  const fields = text.trim().split(/ +/);
  return Object.fromEntries(fields.map((each) => each.split(':')).map(([number, hex]) => [number, hex || null]));
}

/** @type {(id: string, kind: string) => HTMLInputElement | HTMLSelectElement} */
function controlOf(id, kind) {
  /** @type {Readonly<Record<string, Readonly<Record<string, string>>>>} */
  const tables = { mode: id === 'QR' ? modes : cardModes, outcome: outcomes, script: scripts, ...choices };
  const texts = tables[kind];
  if (texts) {
    const select = element('select');
    // Keys that look like whole numbers come first in an object; the default must be on top.
    for (const [value, text] of Object.entries(texts).toSorted(
      ([one], [other]) => Number(other === '') - Number(one === ''),
    )) {
      const option = element('option', kind === 'mode' ? `${value}: ${text}` : text);
      option.value = value;
      select.append(option);
    }
    return select;
  }
  const input = element('input');
  input.autocomplete = 'off';
  switch (kind) {
    case 'check':
      input.type = 'checkbox';
      break;
    case 'number':
      input.inputMode = 'numeric';
      input.pattern = '[0-9]{1,6}';
      input.size = 5;
      break;
    case 'extra':
      input.pattern = ' *([0-9]{1,3}:([0-9A-Fa-f]{2})* *)*';
      input.size = 20;
      break;
    case 'signed':
      input.pattern = '-?[0-9]{1,13}';
      input.size = 8;
      break;
    default:
      input.setAttribute('list', `codes-${id}`);
      input.pattern = id === 'QR' ? '[0-9]{4}' : '[0-9A-Z]{2}';
      input.placeholder = id === 'QR' ? '1201' : '51';
      input.maxLength = id === 'QR' ? 4 : 2;
      input.size = 5;
  }
  return input;
}
