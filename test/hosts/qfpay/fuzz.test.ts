import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meaningOf } from '../../../src/hosts/qfpay/respcd.ts';
import { seed, whole } from '../../base/domain/random.ts';
import { answeredWith, approval, approved, bench, httpAnswer, scannedOrder } from './terminal.ts';

const below = whole(seed);
const one = <T>(from: readonly T[]): T => from[below(from.length)] as T;

const codes = ['0000', '1143', '1102', '1142', '1201', '1298', '9999', '0001', '000', '', 0, null, {}];
const junk = [
  '',
  '0',
  '3000',
  3000,
  '3001',
  'HKD',
  'CNY',
  null,
  [],
  {},
  true,
  '1',
  -1,
  '\u0000',
  approval.out_trade_no,
];

/** The fields of an approval, each kept, dropped or replaced. */
function altered(): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...approval, cancel: '0' };
  for (let change = below(4); change > 0; change--) {
    const name = one(Object.keys(fields));
    if (below(2)) delete fields[name];
    else fields[name] = name === 'respcd' ? one(codes) : one(junk);
  }
  return fields;
}

const asked = { out_trade_no: [approval.out_trade_no], txamt: ['3000', 3000], txcurrcd: ['HKD'] };

/** The rule itself, apart from the code under test: what must hold of everything that is told as an approval. */
function approves(fields: Record<string, unknown>): boolean {
  const same = Object.entries(asked).every(([name, values]) => (values as unknown[]).includes(fields[name]));
  return same && fields['respcd'] === '0000' && typeof fields['syssn'] === 'string';
}

test(`no altered answer is an approval that is none, seed ${seed}`, { timeout: 30_000 }, async (t) => {
  const parts = await bench(t);
  let approvals = 0;
  for (let round = 0; round < 400; round++) {
    const fields = altered();
    const paid = await answeredWith(parts, parts.acquirer.pay(scannedOrder), fields);
    if (paid.kind === 'approved') assert.ok(approves(fields), JSON.stringify(fields));
    if (paid.kind === 'declined') assert.equal(meaningOf(fields['respcd'])?.code, paid.responseCode);
    assert.notEqual(paid.kind, 'notSent');
    const found = await answeredWith(parts, parts.acquirer.enquire(scannedOrder), { respcd: '0000', data: [fields] });
    if (found.kind === 'approved') assert.ok(approves(fields) && ['0', '5', 5, 0].includes(fields['cancel'] as string));
    assert.notEqual(found.kind, 'notFound', JSON.stringify(fields));
    const closing = await answeredWith(parts, parts.acquirer.close(scannedOrder), fields);
    if (closing.kind === 'closed') assert.ok(['0000', '1142'].includes(fields['respcd'] as string));
    if (paid.kind === 'approved') approvals++;
  }
  assert.ok(approvals > 20, `${approvals} approvals`);
});

test(`bytes changed anywhere end in an outcome, seed ${seed}`, { timeout: 30_000 }, async (t) => {
  const { host, clock, acquirer } = await bench(t);
  for (let round = 0; round < 300; round++) {
    const bytes = Buffer.from(httpAnswer(approval, ['Connection: close']));
    for (let change = 1 + below(4); change > 0; change--) bytes[below(bytes.length)] = below(256);
    const outcome = acquirer.pay(scannedOrder);
    const side = await host.accepted();
    await side.request();
    await side.write(bytes.subarray(0, below(4) === 0 ? below(bytes.length) : bytes.length));
    side.end();
    const { kind } = await outcome;
    assert.notEqual(kind, 'notSent');
    await side.ended;
  }
  assert.equal(clock.pending, 0);
});

test('the answer that was altered is an approval', async (t) => {
  const parts = await bench(t);
  assert.deepEqual(await answeredWith(parts, parts.acquirer.pay(scannedOrder), { ...approval, cancel: '0' }), approved);
});
