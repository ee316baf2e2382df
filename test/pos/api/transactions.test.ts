import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { ApiParts } from '../../../src/pos/api/call.ts';
import { openApi } from '../../../src/pos/api/openapi.ts';
import { transactions } from '../../../src/pos/api/transactions.ts';
import { acquirerId, terminalTransactionId, type TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import type { Accepted } from '../../../src/payment/events/accepted.ts';
import type { JournalEvent } from '../../../src/payment/events/event.ts';
import { JournalError } from '../../../src/payment/contracts/journal.ts';
import { ReadingTurns } from '../../../src/payment/terminal/reading-turns.ts';
import { type ListParts, TransactionLists } from '../../../src/payment/terminal/transaction-lists.ts';
import { buildTree } from '../../../src/payment/records/record-tree.ts';
import * as events from '../../support/events.ts';
import { noteReasons } from '../../support/reported-reasons.ts';
import { StoreJournal } from '../../payment/terminal/store-journal.ts';
import { Trace } from '../../payment/terminal/trace.ts';
import { faults } from './json-schema.ts';
import { approved, success } from './records.ts';
import { type Json, printParts, served } from './served.ts';

const EDC = acquirerId('EDC');
const noon = Date.UTC(2026, 5, 1, 12);
const document: Json = JSON.parse(JSON.stringify(openApi));

let dir: string;
let journal: StoreJournal;
let time = noon;
let sales = 0;
let running: ListParts['terminal']['running'];
let lists: TransactionLists;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-lists-'));
  [time, sales, running] = [noon, 0, undefined];
  journal = new StoreJournal(path.join(dir, 'journal.db'), () => new Date(time), new Trace());
  const terminal: ListParts['terminal'] = {
    get running() {
      return running;
    },
    recall: (id) => buildTree(id, journal),
  };
  lists = new TransactionLists({ journal, acquirers: new Map([[EDC, {}]]), terminal, turns: new ReadingTurns() });
});
afterEach(() => {
  journal.store.close();
  rmSync(dir, { recursive: true });
});

async function begin(fields: Partial<Accepted> = {}): Promise<TerminalTransactionId> {
  sales += 1;
  const random = new Uint8Array(10);
  new DataView(random.buffer).setUint32(0, sales);
  const id = terminalTransactionId(new Date(time), random);
  await journal.open(id, { ...events.accepted, messageId: `M-${sales}`, ...fields });
  return id;
}

async function sell(fields: Partial<Accepted> = {}): Promise<TerminalTransactionId> {
  const id = await begin(fields);
  const { kind: _kind, trace: _trace, ...draft } = events.intent;
  await journal.intend(id, draft);
  await journal.append(id, [
    { kind: 'answered', outcome: approved },
    { kind: 'ended', ...success },
  ]);
  return id;
}

async function decline(): Promise<TerminalTransactionId> {
  const id = await begin();
  const end: JournalEvent = {
    kind: 'ended',
    outcome: 'declined',
    result: 'DECLINED',
    code: 1051,
    message: 'no',
    reason: 'insufficientFunds',
  };
  await journal.append(id, [end]);
  return id;
}

/** The answer to a POS, which is paired if it is named. */
async function asked(query: string, posId?: string, own: Pick<TransactionLists, 'page' | 'acquirers'> = lists) {
  const capabilities = { profiles: [], modes: [] };
  const parts = { ...printParts, capabilities, lists: own } as unknown as ApiParts;
  const sender = { address: '192.168.1.7', ...(posId === undefined ? {} : { posId }) };
  const answer = await transactions(undefined, parts, sender, { query: new URLSearchParams(query) });
  const body: Json = JSON.parse(JSON.stringify(answer.body));
  noteReasons(body);
  const { schema } = document.paths['/sp/v1/transactions'].get.responses[answer.status].content['application/json'];
  assert.deepEqual(faults(body, schema, document), []);
  const ids: string[] = (body.transactions ?? []).map(({ terminalTransactionId: id }: Json) => id);
  return { status: answer.status, body, ids };
}

/** All pages of a list. */
async function pages(query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let page = await asked(query); ; page = await asked(`${query}&cursor=${page.body.nextCursor}`)) {
    ids.push(...page.ids);
    if (page.body.nextCursor === undefined || page.ids.length === 0) return ids;
  }
}

describe('what is listed', () => {
  test('each as an enquiry tells it, newest first, in shape A whatever its POS gets, with its number masked', async () => {
    const sale = await sell({ cashierId: 'C-7' });
    const declined = await decline();
    const printed = await sell({ shape: 'B', printedBy: 'pos' });
    const { body, ids } = await asked('');
    assert.deepEqual(ids, [printed, declined, sale]);
    assert.partialDeepStrictEqual(body.transactions[2], {
      posId: 'POS-1',
      messageId: 'M-1',
      responseResult: 'SUCCESS',
      cashierId: 'C-7',
      transactionResult: { tranStatus: 'APPROVED', maskedPan: '************0119', totalAmount: 30, batch: 1 },
    });
    assert.equal(body.transactions[0].transactionResult.tranStatus, 'APPROVED');
    assert.ok(!JSON.stringify(body).includes('customerSlip'));
    assert.partialDeepStrictEqual(body.transactions[1], { responseCode: 1051, reason: 'insufficientFunds' });
    assert.equal(body.nextCursor, undefined);
  });

  test('how it stands now: voided by a later one', async () => {
    const sale = await sell();
    const voided = await sell({ type: 'VOID_SALE', originalId: sale });
    assert.deepEqual((await asked('state=VOIDED')).ids, [sale]);
    assert.deepEqual((await asked('state=APPROVED')).ids, [voided]);
  });

  test('the one that runs is told with its state, and is what state=PROCESSING asks for', async () => {
    const sale = await sell();
    const id = await begin({ messageId: 'M-now' });
    running = { posId: 'POS-1', messageId: 'M-now', state: 'authorizing', step: 'atHost' };
    const { body, ids } = await asked('');
    assert.deepEqual(ids, [id, sale]);
    assert.partialDeepStrictEqual(body.transactions[0], {
      responseResult: 'PROCESSING',
      state: 'authorizing',
      step: 'atHost',
      reason: 'transactionRunning',
    });
    assert.deepEqual((await asked('state=PROCESSING')).ids, [id]);
  });

  test('one that can’t be read hides no other: it is told as what it is, in every list of its POS', async () => {
    const sale = await sell();
    const broken = await sell();
    const lost = { listSlice: journal.listSlice.bind(journal), acquirers: journal.acquirers.bind(journal) };
    const recall = (id: TerminalTransactionId) =>
      id === broken ? Promise.reject(new JournalError('archive', 'the archive is missing')) : buildTree(id, journal);
    const parts = { journal: lost, acquirers: new Map(), turns: new ReadingTurns() };
    const own = new TransactionLists({ ...parts, terminal: { running: undefined, recall } });
    const { body, ids } = await asked('state=APPROVED', undefined, own);
    assert.deepEqual(ids, [broken, sale]);
    assert.partialDeepStrictEqual(body.transactions[0], {
      responseResult: 'DATABASE_ERROR',
      reason: 'recordUnreadable',
      financialImpact: 'UNKNOWN',
      messageId: 'M-2',
    });
  });

  test('a paired POS reads its own, and no other’s', async () => {
    const own = await sell({ posId: 'POS-2' });
    await sell();
    assert.deepEqual((await asked('', 'POS-2')).ids, [own]);
    assert.deepEqual((await asked('last=true', 'POS-2')).ids, [own]);
    assert.deepEqual((await asked('', 'POS-3')).ids, []);
  });
});

describe('pages', () => {
  test('nothing twice, nothing missed, while others sell', async () => {
    const first = [await sell(), await decline(), await sell(), await sell(), await sell()];
    const ids: string[] = [];
    let page = await asked('limit=2');
    for (;;) {
      ids.push(...page.ids);
      if (page.body.nextCursor === undefined) break;
      await sell();
      page = await asked(`limit=2&cursor=${page.body.nextCursor}`);
    }
    assert.deepEqual(ids, first.toReversed());
  });

  test('a full page that is the last one says so', async () => {
    await sell();
    await sell();
    assert.equal((await asked('limit=2')).body.nextCursor, undefined);
  });

  test('a state that few have: the page goes on until it has enough', async () => {
    const sale = await sell();
    for (let each = 0; each < 30; each++) await decline();
    assert.deepEqual((await asked('limit=1&state=APPROVED')).ids, [sale]);
    assert.equal((await pages('limit=7&state=DECLINED')).length, 30);
  });

  test('order=oldest: a reader comes back with its cursor, and is told of each once it has ended', async () => {
    const [one, two] = [await sell(), await sell()];
    const first = await asked('order=oldest');
    assert.deepEqual(first.ids, [one, two]);
    const three = await begin({ messageId: 'M-now' });
    running = { posId: 'POS-1', messageId: 'M-now', state: 'collecting' };
    const meanwhile = await asked(`order=oldest&cursor=${first.body.nextCursor}`);
    assert.deepEqual(meanwhile.ids, []);
    await journal.append(three, [{ kind: 'ended', ...success }]);
    running = undefined;
    const last = await asked(`order=oldest&cursor=${meanwhile.body.nextCursor}`);
    assert.deepEqual(last.ids, [three]);
    assert.deepEqual((await asked(`order=oldest&cursor=${last.body.nextCursor}`)).ids, []);
  });

  test('last=true is the one accepted last, whatever the clock says, and has no next page', async () => {
    await sell();
    time -= 86_400_000;
    const last = await sell();
    const { body, ids } = await asked('last=true');
    assert.deepEqual(ids, [last]);
    assert.equal(body.nextCursor, undefined);
    assert.deepEqual((await asked('last=true&posId=POS-9')).ids, []);
  });

  test('by time: from since on, before until, by the createTime that is told; any offset, and + as a space', async () => {
    const before = await sell();
    time = noon + 1_000;
    const at = await sell();
    time = noon + 2_000;
    const after = await sell();
    assert.deepEqual((await asked('since=2026-06-01T12:00:01Z')).ids, [after, at]);
    assert.deepEqual((await asked('until=2026-06-01T12:00:01Z')).ids, [before]);
    assert.deepEqual((await asked('since=2026-06-01T20:00:01 08:00&until=2026-06-01T12:00:02+0000')).ids, [at]);
    assert.deepEqual((await asked('since=2026-06-01T20:00:01%2B0800&until=2026-06-01T07:00:02.000-05:00')).ids, [at]);
  });

  test('by acquirer, its batch, and POS', async () => {
    const sale = await sell();
    await decline();
    assert.deepEqual((await asked('acquirer=EDC')).ids, [sale]);
    assert.deepEqual((await asked('acquirer=EDC&batch=1&posId=POS-1')).ids, [sale]);
    assert.deepEqual((await asked('acquirer=EDC&batch=2')).ids, []);
  });
});

describe('a query that is refused names its field, and repeats no value', () => {
  const marker = '4761739001010119';
  for (const [query, status, pointer, reason] of [
    ['since=2026-06-01', 400, '/since', 'fieldInvalid'],
    ['since=2026-06-01T12:00:00', 400, '/since', 'fieldInvalid'],
    ['since=2026-02-30T12:00:00Z', 400, '/since', 'fieldInvalid'],
    ['until=2026-06-01T25:00:00Z', 400, '/until', 'fieldInvalid'],
    ['until=2026-06-01T12:00:00%2B19:00', 400, '/until', 'fieldInvalid'],
    ['since=2026-06-02T00:00:00Z&until=2026-06-02T00:00:00Z', 400, '/until', 'fieldInvalid'],
    ['limit=0', 400, '/limit', 'fieldInvalid'],
    ['limit=101', 400, '/limit', 'fieldInvalid'],
    ['limit=1e1', 400, '/limit', 'fieldInvalid'],
    ['limit=1&limit=2', 400, '/limit', 'keyAmbiguous'],
    ['state=PAID', 400, '/state', 'fieldInvalid'],
    ['order=random', 400, '/order', 'fieldInvalid'],
    ['batch=7', 400, '/acquirer', 'fieldMissing'],
    [`acquirer=BANK`, 422, '/acquirer', 'acquirerUnknown'],
    [`cursor=${marker}`, 400, '/cursor', 'fieldInvalid'],
    ['last=true&limit=5', 400, '/limit', 'fieldMisplaced'],
    ['last=true&order=oldest', 400, '/order', 'fieldMisplaced'],
    ['sinse=2026-06-01T12:00:00Z', 400, '/sinse', 'fieldUnknown'],
  ] as const) {
    test(query, async () => {
      const { status: reported, body } = await asked(query);
      assert.equal(reported, status);
      assert.deepEqual([body.errors[0].pointer, body.errors[0].reason], [pointer, reason]);
      assert.ok(!JSON.stringify(body).includes(marker));
    });
  }

  test('a misspelled one says what was meant', async () => {
    assert.match((await asked('sinse=x')).body.message, /did you mean since/);
  });

  test('the cursor of another list', async () => {
    await sell();
    await sell();
    const { nextCursor } = (await asked('limit=1')).body;
    const { status, body } = await asked(`limit=1&posId=POS-1&cursor=${nextCursor}`);
    assert.equal(status, 400);
    assert.equal(body.errors[0].pointer, '/cursor');
    assert.equal((await asked(`limit=9&cursor=${nextCursor}`)).status, 200);
  });
});

test('too many at once: 503 at once, and those that wait get their list', async () => {
  const id = await sell();
  const all = await Promise.all(Array.from({ length: 40 }, () => asked('')));
  const refused = all.filter(({ status }) => status === 503);
  assert.ok(refused.length > 10 && refused.length < 40);
  for (const { body } of refused)
    assert.partialDeepStrictEqual(body, { reason: 'readingBusy', retryable: 'SAME_REQUEST' });
  for (const { status, ids } of all) if (status === 200) assert.deepEqual(ids, [id]);
  assert.deepEqual((await asked('')).ids, [id]);
});

test('over HTTP: the query counts, and a body is none of a GET', async (t) => {
  await sell();
  const { call } = await served(t, { lists });
  const { status, json } = await call({ method: 'GET', path: '/sp/v1/transactions?limit=1&posId=POS-1' });
  assert.deepEqual([status, json.transactions.length], [200, 1]);
  assert.equal((await call({ method: 'POST', path: '/sp/v1/transactions', body: '{}' })).status, 405);
});
