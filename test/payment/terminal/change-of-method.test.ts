import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import { DeviceError } from '../../../src/base/ports/device.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import { settled } from '../../support/manual-clock.ts';
import { changed } from './method-changes.ts';
import { approves, declines } from './scripted-host.ts';
import { ended, everything, sale, Stage } from './stage.ts';

for (const first of [1, 51]) {
  const last = first + 49;
  test(`the merchant changes the method, seeds ${first} to ${last}: one payment or none, one thing armed`, async () => {
    for (let seed = first; seed <= last; seed++) await changed(seed);
  });
}

/** One payment whose every step the test does itself. */
async function staged(run: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = new Stage(undefined, everything);
  try {
    await run(stage);
  } finally {
    stage.close();
  }
}

test('an answer to an enquiry that was under way when the code was withdrawn says nothing of the order any more', () =>
  staged(async (stage) => {
    const enquiry = Promise.withResolvers<void>();
    stage.wallet.onEnquire = () => enquiry.promise.then(() => undefined);
    const answer = stage.terminal.pay(sale('M-1', { preferredEntryMode: 'QR_PRESENT' }));
    await stage.trace.seen('QR: enquire');
    stage.act({ kind: 'choose', mode: 'CARD' });
    await settled();
    assert.equal(stage.trace.count('QR: close'), 0, 'one thing is asked of the host at a time');
    enquiry.resolve();
    await stage.trace.seen('reader: armed');
    stage.reader.present();
    const { id, conclusion } = ended(await answer);
    assert.equal(conclusion?.result, 'SUCCESS');
    const kinds = stage.journal.store.read(id).map(({ event }) => event.kind);
    assert.deepEqual(kinds, ['accepted', 'intent', 'withdrawn', 'orderClosed', 'intent', 'answered', 'ended']);
    assert.equal(stage.posted, 1);
  }));

test('a wrong PIN, then the right one, and that answer can not be written: reversed', () =>
  staged(async (stage) => {
    stage.eps.onRequest = () => (stage.eps.requests.length === 1 ? declines('55') : approves);
    const answer = stage.terminal.pay(sale('M-1', { preferredInstrument: 'EPS' }));
    await stage.trace.seen('reader: armed');
    stage.reader.present();
    await settled();
    stage.act({ kind: 'account', account: 'SAVINGS' });
    await stage.trace.seen('pin pad: armed');
    stage.pinPad.enter();
    await stage.trace.seen('pin pad: armed', 2);
    assert.equal(stage.views.at(-1)?.hint, 'wrongPin');
    stage.journal.fault = (_, operation) => operation === 'append' && stage.eps.reversals.length === 0 && failing();
    let failed = false;
    const failing = () => !failed && (failed = true);
    stage.pinPad.enter();
    const record = ended(await answer);
    assert.equal(record.conclusion?.result, 'DATABASE_ERROR');
    assert.equal(stage.eps.requests.length, 2);
    assert.equal(stage.posted, 0);
    assert.equal(financialImpact(record), 'REVERSED');
  }));

test('the reader is lost while the merchant chooses: what needs it is offered no more, and another method takes the payment', () =>
  staged(async (stage) => {
    const answer = stage.terminal.pay(sale('M-1'));
    await stage.trace.seen('screen: chooseMethod');
    const { modes: before = [] } = stage.views.at(-1) ?? {};
    assert.ok(before.includes('CARD') && before.includes('EPS'));
    stage.reader.fail(new DeviceError('vanished', 'unplugged'));
    await settled();
    const { scene, hint, modes = [], interfaces } = stage.views.at(-1) ?? {};
    assert.deepEqual([scene, hint, interfaces], ['chooseMethod', 'readerLost', []]);
    assert.deepEqual(
      modes,
      before.filter((mode) => mode !== 'CARD' && mode !== 'EPS'),
    );
    stage.act({ kind: 'choose', mode: 'CARD' });
    await settled();
    assert.equal(stage.views.at(-1)?.scene, 'chooseMethod', 'a late press on what is gone does nothing');
    stage.act({ kind: 'choose', mode: 'CASH' });
    await settled();
    stage.act({ kind: 'tender', amount: '50' });
    assert.equal(ended(await answer).conclusion?.result, 'SUCCESS');
  }));

test('the reader is lost, and there is no other way: the payment ends, and says why', () =>
  staged(async (stage) => {
    const answer = stage.terminal.pay(sale('M-1', { forcedAcquirer: acquirerId('EDC') }));
    await stage.trace.seen('reader: armed');
    stage.reader.fail(new DeviceError('vanished', 'unplugged'));
    assert.equal(ended(await answer).conclusion?.reason, 'cardReaderFailed');
  }));
