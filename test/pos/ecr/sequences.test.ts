import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { EcrStage } from './ecr-stage.ts';
import { cancelledByPos, declined, reversed } from './scripted-calls.ts';

/** What a till does, and what the network, the host and the power do to it. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('trade'), number: fc.nat(1), isWritten: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('refund'),
      amount: fc.constantFrom('5.00', '10.00'),
      isWritten: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('fails'), outcome: fc.constantFrom(declined, cancelledByPos, reversed) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('twice'), number: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart') }) },
);

interface Step {
  readonly kind: string;
  readonly number?: number;
  readonly amount?: string;
  readonly isWritten?: boolean;
  readonly outcome?: Readonly<Record<string, unknown>>;
}

/** What the till believes: it is told by its answers alone. */
class Books {
  /** The payment of each number. */
  readonly paid = new Map<number, string>();
  /** The refunds that it has asked for, and knows of. */
  refundedMinor = 0;
  readonly refunds = new Set<string>();
  /** The refund whose answer was lost, by amount. */
  readonly lost = new Map<string, string>();
  /** Amounts whose decline was lost: it is told once more. */
  readonly lostDeclines = new Set<string>();
}

async function trade(stage: EcrStage, books: Books, number: number, isWritten: boolean): Promise<void> {
  const { respcd, data } = await stage.trade(`n-${number}`, {}, { isWritten });
  if (respcd !== '6000') return;
  const { syssn = '' } = data ?? {};
  assert.equal(books.paid.get(number) ?? syssn, syssn, 'one number was paid twice');
  books.paid.set(number, syssn);
}

async function refund(stage: EcrStage, books: Books, { amount = '', isWritten = true }: Step): Promise<void> {
  const order = books.paid.get(0);
  if (order === undefined) return;
  const failing = stage.calls.outcomes.length > 0;
  const { respcd, data } = await stage.refund(order, amount, { isWritten });
  if (respcd !== '6000') {
    const isTooMuch = books.refundedMinor + Number(amount) * 100 > 3_000;
    assert.ok(failing || isTooMuch || books.lostDeclines.has(amount), 'refused without a cause');
    if (failing && !isWritten) books.lostDeclines.add(amount);
    else if (isWritten) books.lostDeclines.delete(amount);
    return;
  }
  const { syssn = '' } = data ?? {};
  const lost = books.lost.get(amount);
  if (lost === undefined) {
    assert.ok(!books.refunds.has(syssn), 'a second part was taken for a repeat');
    books.refundedMinor += Number(amount) * 100;
  } else assert.equal(syssn, lost, 'a repeat was carried out again');
  books.refunds.add(syssn);
  if (isWritten) books.lost.delete(amount);
  else books.lost.set(amount, syssn);
}

test('whatever is lost, repeated, declined and restarted: each number is paid once, each part is given back once', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps: readonly Step[]) => {
      const stage = await EcrStage.open(t);
      const books = new Books();
      for (const each of steps) {
        if (each.kind === 'trade') await trade(stage, books, each.number ?? 0, each.isWritten ?? true);
        else if (each.kind === 'refund') await refund(stage, books, each);
        else if (each.kind === 'fails') stage.calls.outcomes.push(each.outcome ?? declined);
        else if (each.kind === 'restart') await stage.restart();
        else await Promise.all([0, 1].map(() => trade(stage, books, each.number ?? 0, true)));
      }
      const sales = stage.calls.succeeded('SALE');
      assert.equal(new Set(sales.map(({ posReference }) => posReference)).size, sales.length);
      const given = stage.calls.succeeded('REFUND').length + stage.calls.succeeded('VOID').length;
      assert.equal(given, books.refunds.size);
      assert.ok(books.refundedMinor <= 3_000);
      await stage.ecr.payments.close();
      await stage.ledger.flush();
    }),
    { numRuns: 100 },
  );
});
