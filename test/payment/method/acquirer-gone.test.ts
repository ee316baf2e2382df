import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalEvent } from '../../../src/payment/events/event.ts';
import { authorizeCardReference } from '../../../src/methods/card/authorize.ts';
import type { CardParts } from '../../../src/methods/card/parts.ts';
import type { Order } from '../../../src/payment/method/order.ts';
import { authorizeWalletReference } from '../../../src/methods/wallet/by-reference.ts';
import type { WalletParts } from '../../../src/methods/wallet/parts.ts';
import { noteReason } from '../../support/reported-reasons.ts';

const order = { id: '01M7YQ1WHV0000000000000000', kind: 'VOID_SALE' } as unknown as Order;

/** A journal that keeps what it is given, and nothing else that a payment needs. */
function parts() {
  const written: JournalEvent[] = [];
  const journal = { append: async (_id: string, events: readonly JournalEvent[]) => written.push(...events) };
  return { written, parts: { journal, cardAcquirers: new Map(), wallets: new Map() } };
}

test('the acquirer of the original is gone from the configuration: told as that, nothing is sent', async () => {
  for (const authorize of [
    (given: unknown) => authorizeCardReference(order, given as CardParts),
    (given: unknown) => authorizeWalletReference(order, given as WalletParts),
  ]) {
    const { written, parts: given } = parts();
    const end = await authorize(given);
    assert.ok(end.kind === 'concluded');
    assert.deepEqual([end.conclusion.result, end.conclusion.reason], ['ERROR', 'acquirerGone']);
    assert.deepEqual(written, [{ kind: 'ended', ...end.conclusion }]);
    noteReason(end.conclusion.reason);
  }
});
