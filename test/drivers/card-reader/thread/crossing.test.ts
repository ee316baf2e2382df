import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  buffersOf,
  receiveCollected,
  receiveCompletion,
  receivePin,
  sendCollected,
  sendCompletion,
  type SentOutcome,
  sendPin,
  wipeSent,
} from '../../../../drivers/card-reader/thread/crossing.ts';
import type { CardCompletion, CollectOutcome, PresentedCard } from '../../../../src/base/ports/card-reader.ts';
import type { PinOutcome } from '../../../../src/base/ports/pin-pad.ts';

const emv = () =>
  new Map([
    ['9F26', Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)],
    ['9F27', Uint8Array.of(0x80)],
    ['9F7C', new Uint8Array()],
  ]);
const card = (): PresentedCard => ({
  entryMode: 'CHIP',
  aid: 'A0000000031010',
  appName: 'VISA CREDIT',
  maskedPan: '476173******0119',
  emv: emv(),
  encrypted: {
    scheme: 'TDES-DUKPT',
    ksn: new Uint8Array(10).fill(0xaa),
    track2: new Uint8Array(24).fill(0xc1),
    pan: new Uint8Array(16).fill(0xc2),
  },
  awaitsDecision: true,
});

/** As between two threads: what is transferred is gone where it was. */
function crossed(sent: SentOutcome): SentOutcome {
  const buffers = buffersOf(sent);
  const there = structuredClone(sent, { transfer: buffers });
  for (const buffer of buffers) assert.equal(buffer.byteLength, 0, 'transferred, not copied');
  return there;
}

/** Every value was overwritten where it came from, and so was the buffer that it crossed in. */
function assertWiped(values: Iterable<Uint8Array>, there: SentOutcome): void {
  for (const value of values) assert.ok(value.every((byte) => byte === 0));
  for (const buffer of buffersOf(there)) assert.ok(new Uint8Array(buffer).every((byte) => byte === 0));
}

test('a card crosses whole, and nothing of it is left on the way', () => {
  const here = card();
  const there = crossed(sendCollected({ kind: 'card', card: here }));
  assert.deepEqual(receiveCollected(there), { kind: 'card', card: card() });
  const { ksn, track2, pan } = here.encrypted;
  assertWiped([...here.emv.values(), ksn, track2, pan], there);
});

test('a PIN block and a last word of the chip cross, and nothing of them is left on the way', () => {
  const pin = () => ({ format: 'ISO-0', ksn: new Uint8Array(10).fill(1), block: new Uint8Array(8).fill(2) }) as const;
  const here = pin();
  const there = crossed(sendPin({ kind: 'pin', pin: here }));
  assert.deepEqual(receivePin(there), { kind: 'pin', pin: pin() });
  assertWiped([here.ksn, here.block], there);
  for (const kind of ['agreed', 'refused'] as const) {
    const word: CardCompletion = { kind, emv: emv() };
    const reported = crossed(sendCompletion(word));
    assert.deepEqual(receiveCompletion(reported), { kind, emv: emv() });
    assertWiped(word.emv.values(), reported);
  }
});

test('what has no bytes crosses as it is', () => {
  const outcomes: CollectOutcome[] = [
    { kind: 'tryAgain', reason: 'collision' },
    { kind: 'refused', reason: 'over-limit' },
    { kind: 'timeout' },
    { kind: 'cancelled' },
  ];
  for (const outcome of outcomes) assert.deepEqual(receiveCollected(crossed(sendCollected(outcome))), outcome);
  const pins: PinOutcome[] = [{ kind: 'timeout' }, { kind: 'cancelled' }];
  for (const outcome of pins) assert.deepEqual(receivePin(crossed(sendPin(outcome))), outcome);
  assert.deepEqual(receiveCompletion(crossed(sendCompletion({ kind: 'lost' }))), { kind: 'lost' });
});

test('what nobody waits for is overwritten', () => {
  const there = crossed(sendCollected({ kind: 'card', card: card() }));
  wipeSent(there);
  assertWiped([], there);
});

test('the outcome of another call is none', () => {
  assert.throws(() => receiveCollected({ kind: 'shown' }));
  assert.throws(() => receivePin(sendCompletion({ kind: 'refused', emv: emv() })));
  assert.throws(() => receiveCompletion({ kind: 'refused', reason: 'expired' }));
  assert.throws(() => receiveCollected(sendCompletion({ kind: 'refused', emv: emv() })));
});
