import { post } from './call.js';
/** @import { Host, Mode, ModeField, Requests, State, WalletHost } from './types.ts' */

/**
 * All fields of POST /api/host. A call sets all of them: a missing field is switched off.
 * @type {readonly ModeField[]}
 */
const fields = [
  'mode',
  'delayMs',
  'decline',
  'coversMinor',
  'declineByAmount',
  'faultByAmount',
  'atMessage',
  'declineVoids',
  'refuseReversals',
  'declineRefunds',
  'script',
  'reversals',
  'advices',
  'settlement',
  'enquiries',
  'mismatch',
  'customer',
  'processingEnquiries',
  'outcome',
  'close',
  'badCode',
  'badSignature',
  'answerSignature',
  'answerSignType',
  'queryLagMs',
  'queryTime',
  'clockOffsetMs',
  'utcOffsetMinutes',
  'unknownOrder',
  'excessRefunds',
  'lateAnswer',
  'duplicates',
  'approveAdvices',
  'rejectAdvices',
  'settled',
  'settledCode',
  'settledRepeats',
  'keepAliveMs',
  'secondBitmap',
  'extraFields',
  'tlsFault',
  'wrongMac',
  'acceptsUsedKeys',
  'signOn',
  'silentEchoes',
  'keyExchange',
  'keysOutOfStep',
  'siteFault',
  'terminals',
  'merchants',
  'wrongAmount',
];

/** Fields that are valid only with selective modes. */
const selective = {
  modes: ['silent', 'late', 'garbage', 'closeAfterRequest'],
  fields: /** @type {const} */ (['advices', 'settlement', 'enquiries']),
};

/** @type {Map<string, Mode>} */
const latest = new Map();

/** @type {(hosts: State['hosts']) => void} */
export function noteHosts(hosts) {
  for (const [id, host] of Object.entries(hosts)) latest.set(id, modeOf(host));
}

/**
 * The wallets' host; undefined where there is none.
 * @type {(hosts: State['hosts']) => WalletHost | undefined}
 */
export function walletHost({ QR: host }) {
  return host && 'askedForPassword' in host ? host : undefined;
}

/**
 * The mode in a host's state.
 * @type {(host: Host) => Mode}
 */
export function modeOf(host) {
  const all = new Map(Object.entries(host));
  return Object.fromEntries(fields.filter((name) => all.has(name)).map((name) => [name, all.get(name)]));
}

/** @type {(mode: unknown) => boolean} */
export function isSelective(mode) {
  return typeof mode === 'string' && selective.modes.includes(mode);
}

/**
 * By host: the current change and those queued behind it.
 * @type {Map<string, Promise<Host | undefined>>}
 */
const turns = new Map();

/**
 * Changes some fields and keeps the others; undefined switches a field off. Changes run one after the other: a call
 * sets all fields, and would undo another change.
 * @type {(id: string, change: Mode) => Promise<Host | undefined>}
 */
export function changeHost(id, change) {
  const turn = (turns.get(id) ?? Promise.resolve()).then(() => changeNow(id, change));
  turns.set(id, turn);
  return turn;
}

/** @type {(id: string, change: Mode) => Promise<Host | undefined>} */
async function changeNow(id, change) {
  /** @type {Mode} */
  const wanted = { ...latest.get(id), ...change };
  if (!isSelective(wanted.mode)) for (const name of selective.fields) delete wanted[name];
  // The fields are those of the host's own state.
  const body = /** @type {Requests['/api/host/*']} */ (wanted);
  const answer = await post(`/api/host/${id}`, body, `Host ${id}`);
  // The next change may come before the next event.
  if (answer) latest.set(id, modeOf(answer));
  return answer;
}
