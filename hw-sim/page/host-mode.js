import { post } from './call.js';

/** What a call of POST /api/host sets all at once: a field that is left out is switched off. */
const fields = [
  'mode',
  'delayMs',
  'decline',
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

/** Fields that go only with modes that do to some messages what they don't do to others. */
const selective = {
  modes: ['silent', 'late', 'garbage', 'closeAfterRequest'],
  fields: ['advices', 'settlement', 'enquiries'],
};

const latest = new Map();

export function noteHosts(hosts) {
  for (const [id, host] of Object.entries(hosts)) latest.set(id, modeOf(host));
}

/** Of a host's state, what was set of it. */
export function modeOf(host) {
  return Object.fromEntries(fields.filter((name) => name in host).map((name) => [name, host[name]]));
}

export function isSelective(mode) {
  return selective.modes.includes(mode);
}

/** By host: the change that is under way, with those that wait for it. */
const turns = new Map();

/**
 * Changes some fields and leaves the others; a value of undefined switches one off. One after the other: a call sets all fields,
 * and would take back what another has just set.
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
