import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { PresentedCard } from '../../../src/base/ports/card-reader.ts';
import { settled } from '../../support/manual-clock.ts';
import { card } from './scripted-reader.ts';
import { ended, everything, sale, Stage } from './stage.ts';

/** Cards that need an online PIN, at hosts whose messages have a field for it and at hosts whose messages have none. */

let stage: Stage;
beforeEach(() => {
  stage = new Stage(undefined, everything);
});
afterEach(() => stage.close());

/** CVM Results of an online PIN (EMV 4.3 Book 4, Annex A4). */
const onlinePin = new Map([...card().emv, ['9F34', Uint8Array.of(0x42, 0x03, 0x00)]]);
const pinCard = (): PresentedCard => ({ ...card(), entryMode: 'CHIP', emv: onlinePin });

async function presented(request = sale('M-1')) {
  const armed = stage.trace.count('reader: armed') + 1;
  const answer = stage.terminal.pay(request);
  await stage.trace.seen('reader: armed', armed);
  stage.reader.answer({ kind: 'card', card: pinCard() });
  await settled();
  return answer;
}

test('the PIN is entered and sent', async () => {
  const answer = presented();
  await stage.trace.seen('pin pad: armed', 1);
  stage.pinPad.enter();
  assert.equal(ended(await answer).conclusion?.result, 'SUCCESS');
  assert.equal(stage.edc.requests.length, 1);
});

test('a host without a field for the PIN: no PIN is asked for, and the payment is declined unsent', async () => {
  stage.edc.hasPinField = false;
  const { conclusion } = ended(await presented());
  assert.deepEqual([conclusion?.result, conclusion?.reason], ['DECLINED', 'pinRequired']);
  assert.deepEqual([stage.trace.count('pin pad: armed'), stage.edc.requests.length], [0, 0]);
});

test('an offline sale sends no PIN to any host', async () => {
  stage.edc.hasPinField = false;
  const answer = presented(sale('M-1', { type: 'OFFLINE_SALE', approvalCode: 'A1B2C3' }));
  await stage.trace.seen('pin pad: armed', 1);
  stage.pinPad.enter();
  assert.equal(ended(await answer).conclusion?.result, 'SUCCESS');
});
