import { post } from './call.js';

/** All fields of POST /api/host. A call sets all of them: a missing field is switched off. */
const fields = [
  'mode',
  'delayMs',
  'decline',
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
  'wrongAmount',
];

/** Fields that are valid only with selective modes. */
const selective = {
  modes: ['silent', 'late', 'garbage', 'closeAfterRequest'],
  fields: ['advices', 'settlement', 'enquiries'],
};

const latest = new Map();

export function noteHosts(hosts) {
  for (const [id, host] of Object.entries(hosts)) latest.set(id, modeOf(host));
}

/** The mode in a host's state. */
export function modeOf(host) {
  return Object.fromEntries(fields.filter((name) => name in host).map((name) => [name, host[name]]));
}

export function isSelective(mode) {
  return selective.modes.includes(mode);
}

/** By host: the current change and those queued behind it. */
const turns = new Map();

/**
 * Changes some fields and keeps the others; undefined switches a field off. Changes run one after the other: a call
 * sets all fields, and would undo another change.
 */
export function changeHost(id, change) {
  const turn = (turns.get(id) ?? Promise.resolve()).then(() => changeNow(id, change));
  turns.set(id, turn);
  return turn;
}

async function changeNow(id, change) {
  const wanted = { ...latest.get(id), ...change };
  if (!isSelective(wanted.mode)) for (const name of selective.fields) delete wanted[name];
  const answer = await post(`/api/host/${id}`, wanted, `Host ${id}`);
  // The next change may come before the next event.
  if (answer) latest.set(id, modeOf(answer));
  return answer;
}
