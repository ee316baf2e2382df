import type { Bug } from '../bug.ts';

/** Bugs of who may ask for what. */
export const accessBugs: readonly Bug[] = [
  {
    name: 'of an amount that stands twice in a request the last one counts',
    test: 'test/api/bad-input.test.ts',
    file: 'src/api/json-keys.ts',
    from: 'if (inner.keys.has(key)) return',
    to: 'if (inner.keys.has(key) && key.length === 0) return',
  },
  {
    name: 'a settlement takes the name of a payment: the repeat of one is answered with the other',
    test: 'test/terminal/settlement-identity.test.ts',
    file: 'src/terminal/terminal.ts',
    from: "if (!existing && (payment || this.#paymentOf(request))) return { kind: 'otherRequest' };",
    to: '',
  },
  {
    name: 'two acquirers at one host meet in their trace numbers, because it is written in two ways',
    test: 'test/config/load.test.ts',
    file: 'src/config/contradictions.ts',
    from: "return isOwn ? 'localhost' : name;",
    to: 'return isOwn ? written : name;',
  },
  {
    name: 'the operator pairs a till whose name only looks like that of another',
    test: 'test/pairing/pairing.test.ts',
    file: 'src/pairing/pairing.ts',
    from: 'posId: plainlyShown(posId), code',
    to: 'posId, code',
  },
  {
    name: 'a till that calls itself poid ends the day’s settlement before it began',
    file: 'src/api/answering.ts',
    from: `if (namesTerminal(body)) {`,
    to: `if (namesTerminal(body) && body === undefined) {`,
  },
  {
    name: 'a paired till hears what every other till sells',
    test: 'test/api/events.test.ts',
    file: 'src/api/event-stream.ts',
    from: 'const { posId = query.posId } = sender;',
    to: 'const { posId } = query;',
  },
  {
    name: 'a paired till reads another’s receipt by the terminal’s id',
    test: 'test/api/between-tills.test.ts',
    file: 'src/api/receipt.ts',
    from: 'return posId === undefined || posId === record.request.posId;',
    to: 'return posId === undefined || record.id.length > 0;',
  },
  {
    name: 'a revoked till keeps its event stream',
    test: 'test/api/between-tills.test.ts',
    file: 'src/pairing/key-watch.ts',
    from: 'if (held.has(keyId)) continue;',
    to: 'if (held.has(keyId) || keyId.length > 0) continue;',
  },
  {
    name: 'a clock that ran ahead at the start and is set right keeps every paired till out',
    test: 'test/pairing/gate.test.ts',
    file: 'src/pairing/gate.ts',
    from: 'if (elapsedMs < this.#olderUntilMs && signedS <= this.#olderS && this.#older.has(keyId)) {',
    to: 'if (signedS <= this.#olderS && this.#older.has(keyId)) {',
  },
  {
    name: 'two acquirers share host, port and TID, and each answers for the other’s trace numbers',
    test: 'test/config/load.test.ts',
    file: 'src/config/contradictions.ts',
    from: 'JSON.stringify([hostOf(each.host), each.port, each.tid])',
    to: 'JSON.stringify([at, each.port, each.tid])',
  },
  {
    name: 'a stop waits for a silent host until the process is killed',
    test: 'test/e2e/stop.test.ts',
    file: 'src/run.ts',
    from: 'setTimeout(leave, stopMs).unref();',
    to: 'setTimeout(leave, stopMs * 1_000).unref();',
  },
  {
    name: 'a pairing that is begun and never gone on with keeps every till from being paired',
    test: 'test/pairing/pairing.test.ts',
    file: 'src/pairing/pairing.ts',
    from: 'const timer = clock.setTimeout(() => this.#leaveOff(), revealMs);',
    to: 'const timer = clock.setTimeout(() => this.#leaveOff(), revealMs * 1_000);',
  },
];
