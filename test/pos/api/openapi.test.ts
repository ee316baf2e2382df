import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { documentWithExamples } from '../../../src/pos/api/openapi-document.ts';
import { openApi } from '../../../src/pos/api/openapi.ts';
import type { Reprints } from '../../../src/pos/api/reprints.ts';
import { routes } from '../../../src/pos/api/routes.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { Intent } from '../../../src/payment/events/intent.ts';
import type { JournalledOutcome } from '../../../src/payment/events/answer.ts';
import type { JournalledSettlement, SettledBatch } from '../../../src/payment/events/settlement.ts';
import { type StatusParts, statusReport } from '../../../src/observability/status.ts';
import { faults, referred } from './json-schema.ts';
import { approved, authorizedRecord, id, intents, recordOf, success, uncollectedRecord } from './records.ts';
import { type Call, type HttpAnswer, type Json, sale, served } from './served.ts';

const document: Json = JSON.parse(JSON.stringify(openApi));
const schemas = document.components.schemas;
const identity = { posId: 'POS-1', messageId: 'M-1' };
const paid = authorizedRecord({ outcome: approved, conclusion: success });
const timeout = { outcome: 'error', result: 'TIMEOUT', code: 5, message: 'no card was presented in time' } as const;
const declined = { outcome: 'declined', result: 'DECLINED', code: 1051, message: 'insufficient funds' } as const;
const unknown = { outcome: 'error', result: 'UNKNOWN', code: 7, message: 'the deduction is incomplete' } as const;
const cancelled = { ...timeout, result: 'TRANSACTION_ALREADY_CANCEL', code: 107 } as const;

/** The answer is one that the document tells of. */
function assertDocumented(path: string, method: string, { status, json, headers }: HttpAnswer): void {
  const content = document.paths[path]?.[method]?.responses?.[status]?.content;
  assert.ok(content, `${method} ${path} says nothing of ${status}`);
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  assert.deepEqual(faults(json, content['application/json'].schema, document), [], JSON.stringify(json));
}

function batch(result: SettledBatch['result'], reason?: string): SettledBatch {
  return {
    acquirerId: acquirerId('EDC'),
    mid: '123456789012345',
    tid: '12345678',
    batch: 3,
    result,
    ...(reason === undefined ? {} : { reason }),
    totals: [{ kind: 'VOID_SALE', currency: 'HKD', count: 2, totalMinor: '-6001' }],
  };
}

const rejected = [{ id, kind: 'OFFLINE_SALE', currency: 'HKD', amountMinor: '3000', responseCode: '12' }] as const;

function settled(...results: SettledBatch[]): JournalledSettlement {
  return { id, ...identity, digest: '', at: '2026-11-21T09:30:00.000Z', results };
}

describe('the document', () => {
  test('is served', async (t) => {
    const { call } = await served(t);
    const answer = await call({ method: 'GET', path: '/openapi.json' });
    assert.equal(answer.status, 200);
    const { components, paths, ...rest } = document;
    assert.partialDeepStrictEqual(answer.json, { ...rest, components });
    assert.deepEqual(Object.keys(answer.json.paths), Object.keys(paths));
    assert.match(answer.json.openapi, /^3\.1\.\d+$/);
    assert.ok(answer.json.info.title && answer.json.info.version);
  });

  test('tells of every route and its methods, and of no other', () => {
    const reported = Object.keys(document.paths).map((path) => [path, Object.keys(document.paths[path])]);
    const routed = Object.entries(routes).map(([path, methods]) => [
      path,
      Object.keys(methods).map((method) => method.toLowerCase()),
    ]);
    assert.deepEqual(Object.fromEntries(reported), Object.fromEntries(routed));
  });

  test('every reference leads to a schema, every schema is used, every operation has its own name', () => {
    const text = JSON.stringify(document);
    const references = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference));
    for (const reference of references) assert.ok(referred(reference, document));
    assert.deepEqual(
      Object.keys(schemas).filter((name) => !references.has(`#/components/schemas/${name}`)),
      [],
    );
    const names = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, name]) => name);
    assert.equal(new Set(names).size, Object.keys(routes).length);
  });
});

const writeAnew = 'an answer has changed: POID_EXAMPLES=write npm run test:outside';

test('the examples are as their schemas say, one for each transaction type, and two for each call', async () => {
  const { paths, components }: Json = JSON.parse(JSON.stringify(await documentWithExamples()));
  const kinds = new Set<string>();
  let count = 0;
  for (const operation of Object.values<Json>(paths).flatMap((methods) => Object.values<Json>(methods))) {
    const { requestBody, responses, operationId } = operation;
    const answer = [requestBody, ...Object.values<Json>(responses)].flatMap((each) =>
      Object.values<Json>(each?.content ?? {}),
    );
    const examples = answer.flatMap(({ schema, examples: named = {} }) =>
      Object.values<Json>(named).map(({ $ref }) => ({ schema, ...components.examples[$ref.replace(/^.*\//, '')] })),
    );
    for (const { schema, value } of examples) assert.deepEqual(faults(value, schema, document), [], writeAnew);
    for (const { value } of examples) kinds.add(value.transactionType);
    assert.ok(examples.length >= 2, operationId);
    count += examples.length;
  }
  assert.deepEqual(
    schemas.PosRequest.properties.transactionType.enum.filter((kind: string) => kind !== 'VOID' && !kinds.has(kind)),
    [],
  );
  assert.ok(count > 150, `only ${count} examples`);
});

test('every operation is in a group that the document describes', () => {
  const known = document.tags.map(({ name }: Json) => name);
  for (const [path, methods] of Object.entries<Json>(document.paths)) {
    for (const { tags } of Object.values<Json>(methods)) {
      assert.ok(tags.length === 1 && known.includes(tags[0]), `${path}: ${tags}`);
    }
  }
});

/**
 * What only JavaScript reads, or what each language reads differently: \\p, \\d, look-around, flags, names of groups.
 */
const foreign = /\\\\[pPdDwWsSbBk]|\(\?|\\u\{/;

test('patterns are those that every language reads alike', () => {
  const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
    ([, text = '']) => text,
  );
  assert.ok(patterns.length > 10);
  assert.deepEqual(
    patterns.filter((each) => foreign.test(each)),
    [],
  );
  for (const each of [String.raw`^[^\\p{C}]*$`, String.raw`^\\d{2}$`, '^(?<=x)$', '^(?i)x$'])
    assert.match(each, foreign);
});

describe('requests', () => {
  // SPEC §2.1: these are numbers and strings on the wire, and required as it says.
  test('PosRequest says what SPEC 2.1 says', () => {
    const { PosRequest } = schemas;
    assert.deepEqual(PosRequest.required.toSorted(), [
      'currency',
      'messageId',
      'posId',
      'requestAmount',
      'transactionType',
    ]);
    assert.equal(PosRequest.properties.requestAmount.type, 'number');
    assert.equal(PosRequest.properties.transactionType.enum.length, 12);
    assert.ok('tipAmount' in PosRequest.properties && 'approvalCode' in PosRequest.properties);
    const [entryMode] = PosRequest.properties.preferredEntryMode.anyOf;
    assert.deepEqual(entryMode.enum, ['CARD', 'QR_SCAN', 'QR_PRESENT', 'CASH', 'DEFAULT']);
  });

  for (const [schema, body] of [
    ['PosRequest', sale],
    ['PosRequest', { ...sale, originalTerminalTransactionId: '', preferredInstrument: '', forceAcquirer: '' }],
    ['PosRequest', { ...sale, tipAmount: null, preferredEntryMode: 'DEFAULT', preferredInstrument: 'QR' }],
    ['PosRequest', { ...sale, transactionType: 'OFFLINE_SALE', tipAmount: 1.5, approvalCode: 'ABC123' }],
    ['PosRequest', { ...sale, preferredInstrument: 'EPS', forceAcquirer: 'EPS', cashbackAmount: 500 }],
    ['PosRequest', { ...sale, preferredEntryMode: 'QR_PRESENT', preferredInstrument: 'FPS', forceAcquirer: 'QR' }],
    ['PosRequest', { ...sale, preferredEntryMode: 'CASH', preferredInstrument: 'CASH', cashbackAmount: null }],
    ['PosRequest', { ...sale, preferredEntryMode: 'CARD', preferredInstrument: 'CARD', forceAcquirer: 'CUP' }],
    ['Identity', identity],
    ['SettlementRequest', identity],
    ['SettlementRequest', { ...identity, acquirer: 'EDC' }],
    ['ReceiptRequest', { terminalTransactionId: id, copy: 'MERCHANT', output: 'PNG' }],
    ['ReceiptRequest', identity],
  ] as const) {
    test(`${schema} allows ${JSON.stringify(body)}`, () => {
      assert.deepEqual(faults(body, schemas[schema], document), []);
    });
  }

  for (const [schema, body] of [
    ['PosRequest', { ...sale, requestAmount: '30' }],
    ['PosRequest', { ...sale, transactionType: 'sale' }],
    ['PosRequest', { ...sale, posId: '' }],
    ['PosRequest', { ...sale, tipAmount: 'x' }],
    ['PosRequest', { ...sale, preferredEntryMode: 'OCTOPUS' }],
    ['PosRequest', { ...sale, preferredInstrument: 'WALLET' }],
    ['PosRequest', { ...sale, forceAcquirer: 'edc' }],
    ['PosRequest', { ...sale, cashbackAmount: '500' }],
    ['PosRequest', { ...sale, approvalCode: '12345' }],
    ['PosRequest', { ...sale, messageId: 'x'.repeat(65) }],
    ['PosRequest', { ...sale, messageId: 'M\u0007' }],
    ['Identity', { posId: 'POS-1' }],
    ['SettlementRequest', { ...identity, acquirer: 'x'.repeat(17) }],
    ['ReceiptRequest', { ...identity, output: 'FAX' }],
  ] as const) {
    test(`${schema} forbids ${JSON.stringify(body).slice(0, 100)}, as the terminal does`, async (t) => {
      assert.notDeepEqual(faults(body, schemas[schema], document), []);
      const { call } = await served(t);
      const [path] =
        Object.entries(document.paths).find(([, each]) => JSON.stringify(each).includes(`/${schema}"`)) ?? [];
      assert.equal((await call({ path: path ?? '', body: JSON.stringify(body) })).status, 400);
    });
  }
});

const yes = { ...approved, approvalCode: '' };

/** A payment by each method, and what only it tells. */
const methods: Readonly<Record<string, readonly [Intent, JournalledOutcome, Json]>> = {
  wallet: [
    intents.wallet,
    { ...yes, walletNumber: '2026112122001400000000000001' },
    { walletTransactionId: '2026112122001400000000000001' },
  ],
  Octopus: [intents.octopus, { ...yes, balanceMinor: '-340' }, { balanceAmount: -3.4 }],
  'Octopus, with too little': [
    intents.octopus,
    { kind: 'declined', reason: 'insufficientValue', responseCode: '100048', rrn: '', balanceMinor: '1000' },
    { balanceAmount: 10 },
  ],
  'Octopus, of which nobody knows yet': [intents.octopus, { kind: 'unknown', reason: 'incomplete' }, {}],
  cash: [intents.cash, yes, { tenderedAmount: 50, changeAmount: 20 }],
  EPS: [intents.eps, approved, { account: 'SAVINGS', cashbackAmount: 10 }],
};

function paidBy(intent: Intent, outcome: JournalledOutcome, shape: 'A' | 'B') {
  const { cashbackMinor } = { cashbackMinor: undefined, ...intent };
  const ends = { approved: success, declined, unknown, notSent: timeout, offline: success } as const;
  const events = [
    intent,
    { kind: 'answered', outcome },
    ...(outcome.kind === 'unknown' ? [{ kind: 'reversalQueued', reason: 'incomplete' } as const] : []),
    { kind: 'ended', ...ends[outcome.kind] },
  ] as const;
  return recordOf(events, shape, cashbackMinor);
}

const reprints: Reprints = {
  fault: 'paper-out',
  slip: () => ['a line'],
  print: async (_tree, copy) => (copy === 'MERCHANT' ? 'paper-out' : undefined),
  text: async () => 'DUPLICATE',
  png: async () => Uint8Array.of(0x89, 0x50),
  html: async () => '',
};

type Terminal = Awaited<ReturnType<typeof served>>['terminal'];
type Scene = readonly [what: string, path: string, status: number, script: (terminal: Terminal) => void, body?: Json];

const byId = { terminalTransactionId: id };
const scenes: readonly Scene[] = [
  ['shape A', '/sp/v1/payment', 200, (t) => (t.payAnswer = async () => ({ kind: 'ended', record: paid })), sale],
  [
    'shape B, declined',
    '/sp/v1/payment',
    200,
    (t) => {
      const record = authorizedRecord({ conclusion: declined, shape: 'B' });
      t.payAnswer = async () => ({ kind: 'ended', record });
    },
    sale,
  ],
  [
    'no card',
    '/sp/v1/payment',
    200,
    (t) => (t.payAnswer = async () => ({ kind: 'ended', record: uncollectedRecord(timeout) })),
    sale,
  ],
  ['malformed', '/sp/v1/payment', 400, () => undefined, { ...sale, requestAmount: -1 }],
  ['busy', '/sp/v1/payment', 409, (t) => (t.payAnswer = async () => ({ kind: 'busy', owner: identity })), sale],
  ['not possible', '/sp/v1/payment', 422, () => undefined, { ...sale, preferredInstrument: 'CASH' }],
  ['not ready', '/sp/v1/payment', 503, () => undefined, sale],
  ['that throws', '/sp/v1/payment', 500, (t) => (t.payAnswer = () => Promise.reject(new Error('x'))), sale],
  [
    'of a payment that was refunded',
    '/sp/v1/enquiry',
    200,
    (t) => (t.enquiryAnswer = { kind: 'ended', record: paid, status: 'REFUNDED' }),
  ],
  ['of one that runs', '/sp/v1/enquiry', 200, (t) => (t.enquiryAnswer = { kind: 'running', state: 'collecting' })],
  [
    'of one that runs, with its step',
    '/sp/v1/enquiry',
    200,
    (t) => (t.enquiryAnswer = { kind: 'running', state: 'collecting', step: 'enteringPin' }),
  ],
  ['of none', '/sp/v1/enquiry', 404, () => undefined],
  [
    'in time',
    '/sp/v1/cancel',
    200,
    (t) => (t.cancelAnswer = { kind: 'cancelled', record: uncollectedRecord(cancelled) }),
  ],
  ['too late', '/sp/v1/cancel', 409, (t) => (t.cancelAnswer = { kind: 'tooLate', state: 'authorizing' })],
  ['of what is over', '/sp/v1/cancel', 409, (t) => (t.cancelAnswer = { kind: 'ended', record: paid })],
  ['of none', '/sp/v1/cancel', 404, () => undefined],
  [
    'that balanced',
    '/sp/v1/settlement',
    200,
    (t) =>
      (t.settleAnswer = { kind: 'ended', settlement: settled({ ...batch('BALANCED'), rejected }, batch('UPLOADED')) }),
  ],
  [
    'that failed',
    '/sp/v1/settlement',
    200,
    (t) => (t.settleAnswer = { kind: 'ended', settlement: settled(batch('FAILED', 'no answer')) }),
  ],
  ['while busy', '/sp/v1/settlement', 409, (t) => (t.settleAnswer = { kind: 'busy', owner: identity })],
  ['of nobody', '/sp/v1/settlement', 422, () => undefined, { ...identity, acquirer: 'EPS' }],
  ['while stopping', '/sp/v1/settlement', 503, () => undefined],
  ...(['PRINT', 'TEXT', 'PNG', 'DATA'] as const).map(
    (output): Scene => [output, '/sp/v1/receipt', 200, (t) => (t.recalled = tree), { ...byId, output }],
  ),
  ['without paper', '/sp/v1/receipt', 503, (t) => (t.recalled = tree), { ...byId, copy: 'MERCHANT' }],
  ['of none', '/sp/v1/receipt', 404, () => undefined, byId],
  [
    'of a payment without receipt',
    '/sp/v1/receipt',
    422,
    (t) => (t.recalled = { record: uncollectedRecord(timeout), later: [] }),
    byId,
  ],
];
const tree = { record: paid, later: [] };

const impacts = { approved: undefined, offline: undefined, declined: 'NONE', unknown: 'UNKNOWN', notSent: 'NONE' };

describe('real answers are as the document says', () => {
  for (const [what, path, status, script, body = identity] of scenes) {
    test(`${path} ${what}: ${status}`, async (t) => {
      const { terminal, call } = await served(t, { reprints });
      script(terminal);
      const answer = await call({ path, body: JSON.stringify(body) });
      assert.equal(answer.status, status, answer.text);
      assertDocumented(path, 'post', answer);
    });
  }

  for (const [what, [intent, outcome, reported]] of Object.entries(methods)) {
    for (const shape of ['A', 'B'] as const) {
      test(`a payment by ${what}, shape ${shape}`, async (t) => {
        const { terminal, call } = await served(t);
        const record = paidBy(intent, outcome, shape);
        terminal.payAnswer = async () => ({ kind: 'ended', record });
        const answer = await call({ path: '/sp/v1/payment', body: JSON.stringify(sale) });
        assert.equal(answer.status, 200, answer.text);
        assertDocumented('/sp/v1/payment', 'post', answer);
        assert.partialDeepStrictEqual(answer.json.transactionResult ?? answer.json.transactionPrintData, reported);
        assert.equal(answer.json.financialImpact, impacts[outcome.kind]);
      });
    }
  }

  for (const [what, status, more] of [
    ['an array', 400, { body: '[]' }],
    ['no JSON', 415, { headers: { 'content-type': 'text/plain' } }],
    ['too much', 413, { body: JSON.stringify(sale).padEnd(70_000) }],
    ['a foreign origin', 403, { headers: { origin: 'https://evil.example' } }],
  ] as const satisfies [string, number, Call][]) {
    test(`every call with ${what}: ${status}`, async (t) => {
      const { call } = await served(t);
      for (const path of Object.keys(document.paths).filter((each) => document.paths[each].post)) {
        const answer = await call({ path, body: '{}', ...more });
        assert.equal(answer.status, status);
        assertDocumented(path, 'post', answer);
      }
    });
  }

  test('/sp/v1/capabilities', async (t) => {
    const { call } = await served(t);
    assertDocumented('/sp/v1/capabilities', 'get', await call({ method: 'GET', path: '/sp/v1/capabilities' }));
  });

  const foundDamaged = {
    putBack: 'an older copy of the journal was put back',
    check: { state: 'damaged', at: '2026-01-05T10:00:00.000Z', checked: 7, reason: 'the journal is damaged' },
  };
  for (const [what, more] of [
    ['idle', {}],
    ['settling', { running: { ...identity, state: 'settling' } }],
    ['collecting', { running: { ...identity, state: 'collecting', step: 'tappingOctopus' } }],
    ['not ready', { notReady: { reason: 'cardReaderAbsent', message: 'the card reader is not connected' } }],
    ['full', {}],
    ['silent', {}],
  ] as const) {
    test(`/sp/v1/status, ${what}`, async (t) => {
      const currencies = [{ currency: 'HKD' }];
      const closed = { batch: 3, at: '2026-11-21T22:00:00.000Z', tries: 1, refused: false, currencies };
      const reason = 'the host refused the settlement (code 12)';
      const parts = {
        terminal: { running: undefined, notReady: undefined, ...more },
        reader: { name: 'neo2 at /dev/ttyACM0', state: 'ready' },
        clock: { state: 'unsynchronised' },
        printer: { name: 'escpos', state: 'ready', status: async () => ({ fault: 'paper-out', paperNearEnd: true }) },
        scanner: { name: 'scanner', state: 'connecting' },
        octopus: { name: 'octopus', state: 'absent' },
        absences: { of: (kind: string) => (kind === 'octopus' ? 'noPermission' : undefined) },
        ...(what === 'idle' ? { tls: { fingerprint: 'AB:CD', publicKeyPin: 'q80=' } } : {}),
        acquirers: new Map<string, object>([
          ['EDC', { address: { mid: '123456789012345', tid: '12345678', link: 'idle' } }],
          ['QR', { address: { mid: '', tid: 'T0000042', link: 'up' } }],
          ['CASH', {}],
        ]),
        journal: {
          ...(what === 'full' ? { archiveFault: 'the archive can not be written', ...foundDamaged } : {}),
          health: async () => (what === 'full' ? 'full' : 'ok'),
          pending: () =>
            what === 'silent'
              ? new Promise(() => undefined)
              : Promise.resolve([{ id, acquirerId: 'EDC', message: 'advice' }]),
          acquirers: async () => [],
          waitingReceipts: async () => [{ id, paper: 'receipt' }],
          openBatch: async () => 4,
          rejectedAdvices: async () => [id],
          setAside: async () => [id],
          discrepancies: async () => [],
          deniedBatches: async () => [],
          latestSettlements: async () => [],
          settlingBatches: async (acquirer: string) =>
            ({ EDC: [{ ...closed, refused: true, reason }], QR: [closed] })[acquirer] ?? [],
        },
        isUnsendable: () => true,
      } as unknown as StatusParts;
      const { call } = await served(t, { status: () => statusReport(parts) });
      const answer = await call({ method: 'GET', path: '/sp/v1/status' });
      assertDocumented('/sp/v1/status', 'get', answer);
      if (what === 'silent') {
        const said = [answer.json.ready, answer.json.journal, answer.json.untold.length, answer.json.acquirers.length];
        return assert.deepEqual(said, [false, 'silent', 4, 3]);
      }
      assert.partialDeepStrictEqual(answer.json, {
        state: 'running' in more ? more.running.state : 'idle',
        ready: what !== 'not ready' && what !== 'full',
        journal: what === 'full' ? 'full' : 'ok',
        devices: { printer: { fault: 'paper-out' }, octopus: { state: 'absent', reason: 'noPermission' } },
        acquirers: [
          {
            id: 'EDC',
            openBatch: 4,
            pendingReversals: 0,
            pendingAdvices: 1,
            rejectedAdvices: [id],
            unsendable: [id],
            setAside: [id],
            waitingBatches: [{ batch: 3, closedAt: closed.at, tries: 1, refused: true, message: reason }],
          },
          { id: 'QR', link: 'up', pendingAdvices: 0, waitingBatches: [{ refused: false }] },
          { id: 'CASH', openBatch: 4, waitingBatches: [] },
        ],
        pendingReversals: 0,
        pendingAdvices: 1,
        waitingReceipts: 1,
      });
    });
  }
});
