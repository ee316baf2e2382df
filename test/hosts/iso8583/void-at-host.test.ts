import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { encryptData } from '../../../hw-sim/crypto/dukpt.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import { systemClock as clock } from '../../../src/base/ports/clock.ts';
import { iso8583Acquirer } from '../../../src/hosts/iso8583/host.ts';
import type { OnlineOrder } from '../../../src/payment/contracts/acquirer-host.ts';
import { cards, findings, postings, started } from '../../hw-sim/host/started.ts';
import { ksn, mid, testBdk, tid } from '../../hw-sim/host/terminal.ts';
import type { Done } from '../../hw-sim/host/till.ts';

const deadline = { timeout: 20_000 };

type VoidOrder = Extract<OnlineOrder, { readonly original: object }>;

/** A host with books, and the adapter at it. */
async function bench(t: TestContext) {
  const { host, till } = await started(t);
  const address = { host: '127.0.0.1', port: host.port, connectTimeoutMs: 5_000, replyTimeoutMs: 5_000 };
  const identity = { id: acquirerId('EDC'), tid, mid, nii: '003', tpdu: '6000030000' };
  const acquirer = iso8583Acquirer({ ...address, ...identity }, { clock });
  t.after(() => acquirer.close());
  return { host, till, acquirer };
}

/** EMV tag 5A with its length and the number, padded with 00 to whole blocks (fixtures/README.md). */
function encryptedPan(): Uint8Array {
  const { pan } = cards('visa');
  const object = Buffer.from(`5A${(pan.length / 2).toString(16).padStart(2, '0')}${pan}`, 'hex');
  const clear = Buffer.concat([object, Buffer.alloc((8 - (object.length % 8)) % 8)]);
  return encryptData(testBdk, Buffer.from(ksn(1), 'hex'), clear);
}

/** The void of a posting of which the terminal has no answer: only the bank has confirmed it. */
function voidOf(done: Done, operation: 'sale' | 'auth' | 'refund'): VoidOrder {
  const amount = { minor: BigInt(done.amount), currency: 'HKD' } as const;
  const invoice = Number(done.invoice);
  return {
    operation: operation === 'refund' ? 'voidRefund' : 'void',
    trace: { stan: 500, invoice, batch: 1 },
    amount,
    card: { entryMode: 'CONTACTLESS', ksn: Buffer.from(ksn(1), 'hex'), encryptedPan: encryptedPan() },
    original: {
      operation,
      trace: { stan: Number(done.stan), invoice, batch: 1 },
      amount,
      rrn: '',
      approvalCode: '',
      hostTime: '',
      hostDate: '',
    },
  };
}

for (const operation of ['sale', 'auth', 'refund'] as const) {
  test(
    `the void of a confirmed ${operation} names it by its trace number, and the host finds it`,
    deadline,
    async (t) => {
      const { host, till, acquirer } = await bench(t);
      const other = await till.sale(700);
      const done = await till[operation](3000);
      assert.equal((await acquirer.request(voidOf(done, operation))).kind, 'approved');
      assert.deepEqual(postings(host), [`SALE 7.00 POSTED`, `${operation.toUpperCase()} 30.00 VOIDED`]);
      assert.deepEqual([other.code, findings(host)], ['00', []]);
    },
  );
}

test('a host that has no such posting, or has another one under that number, voids nothing', deadline, async (t) => {
  const { host, till, acquirer } = await bench(t);
  const done = await till.sale(3000);
  const order = voidOf(done, 'sale');
  const { trace } = order.original;
  const orders: readonly VoidOrder[] = [
    { ...order, original: { ...order.original, trace: { ...trace, stan: 99 } } },
    { ...order, original: { ...order.original, operation: 'auth' } },
    { ...order, amount: { minor: 2900n, currency: 'HKD' } },
  ];
  for (const [ordinal, each] of orders.entries()) {
    const asked = { ...each, trace: { ...each.trace, stan: 501 + ordinal } };
    assert.equal((await acquirer.request(asked)).kind, 'declined');
  }
  assert.deepEqual(postings(host), ['SALE 30.00 POSTED']);
});
