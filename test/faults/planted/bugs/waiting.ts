import type { Bug } from '../bug.ts';

/** Bugs of calls that wait, and of those that they must not keep out. */
export const waitingBugs: readonly Bug[] = [
  {
    name: 'the part of a payment that the bank has is not counted',
    test: 'test/operator/waiting.test.ts',
    file: 'src/operator/waiting.ts',
    from: "[{ kind: 'partlyApproved', amountMinor: part.minor.toString() }]",
    to: '[]',
  },
  {
    name: 'a call whose place was taken is told that nothing was charged',
    file: 'src/pos/api/waiting-calls.ts',
    from: "financialImpact: 'UNKNOWN' });",
    to: "financialImpact: 'NONE' });",
  },
  {
    name: 'calls that wait for one payment take every connection',
    file: 'src/pos/api/waiting-calls.ts',
    from: 'if (waiting.length >= waitingMax) {',
    to: 'if (waiting.length >= 100 * waitingMax) {',
    test: 'test/pos/api/waiting-calls.test.ts',
  },
  {
    name: 'a caller that has gone keeps its place, and one that is there loses it',
    file: 'src/pos/api/waiting-calls.ts',
    from: 'waiting.splice(Math.max(doubtful, 0), 1)',
    to: 'waiting.splice(0 * doubtful, 1)',
    test: 'test/pos/api/waiting-calls.test.ts',
  },
  {
    name: 'a call that is refused for the number of calls is told that nothing was charged',
    file: 'src/pos/api/open-pos-calls.ts',
    from: "financialImpact: ofMoney.has(name) ? 'UNKNOWN' : 'NONE',",
    to: "financialImpact: 'NONE',",
    test: 'test/pos/api/waiting-calls.test.ts',
  },
  {
    name: 'payments through the cloud that wait keep cancel and enquiry out',
    file: 'src/pos/cloud/calls.ts',
    from: "this.#underWay[callRoomOf(call?.target ?? '')]",
    to: 'this.#underWay.other',
    test: 'test/pos/cloud/calls.test.ts',
  },
  {
    name: 'devices that flood with cheap requests keep another till and the machine’s own programs waiting',
    file: 'src/base/http/paced-socket.ts',
    from: "this.#caller = raw.remoteAddress ?? '';",
    to: "this.#caller = '';",
    test: 'test/base/http/paced-socket.test.ts',
  },
  {
    name: 'an address that floods has all its turns before another has one',
    file: 'src/base/ports/caller-queues.ts',
    from: 'this.#waiting.delete(caller);',
    to: 'if (own.length === 0) this.#waiting.delete(caller);',
    test: 'test/base/http/turns.test.ts',
  },
  {
    name: 'a payment whose bytes wait in the terminal is refused as incomplete',
    file: 'src/base/http/late-requests.ts',
    from: '(socket.heldMs - heldAtStartMs)',
    to: '0 * heldAtStartMs',
    test: 'test/pos/api/held-requests.test.ts',
  },
  {
    name: 'pictures of receipts are drawn all at once, and the card reader waits',
    file: 'src/pos/api/receipt.ts',
    from: 'pictures.run(callerOf(caller), () => reprints.png(tree, view));',
    to: "(callerOf(caller) === '?' ? pictures.run('', () => reprints.png(tree, view)) : reprints.png(tree, view));",
    test: 'test/pos/api/receipt.test.ts',
  },
  {
    name: 'a till that repeats its payment too often may not ask what became of it',
    file: 'src/pos/pairing/request-authenticator.ts',
    from: '? callsMax + recoveryMax : callsMax',
    to: '? callsMax : callsMax',
    test: 'test/pos/pairing/many-calls.test.ts',
  },
  {
    name: 'a till takes a refusal for the number of calls for an outcome',
    file: 'src/pos/client/client.ts',
    from: "return answer.reason !== 'tooManyCalls' && answer.reason !== 'callBudgetSpent';",
    to: 'return answer.reason !== undefined;',
    test: 'test/pos/client/client.test.ts',
  },
];
