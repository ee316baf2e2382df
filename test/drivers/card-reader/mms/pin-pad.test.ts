import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pinOutcome } from '../../../../drivers/card-reader/mms/pin-pad.ts';
import { DeviceError } from '../../../../src/base/ports/device.ts';
import type { PinRequest } from '../../../../src/base/ports/pin-pad.ts';
import { settled } from '../../../support/manual-clock.ts';
import { mmsStage } from './stage.ts';
import { answerTo, bytes, hex, named, request as fixtureRequest } from './fixture-messages.ts';

const request: PinRequest = { amount: { minor: 3000n, currency: 'HKD' }, timeoutMs: 60_000, again: false };
const good = 'F527 DF710100 9908 1B9C1845EB993A7A DFDF410A FFFF9876543210E00001 DFDF420181'.replace('F527', 'F521');

test('a PIN block', () => {
  const found = pinOutcome('020101', bytes(good));
  assert.ok(found.kind === 'pin');
  assert.deepEqual(
    [found.pin.format, hex(found.pin.ksn), hex(found.pin.block)],
    ['ISO-0', 'ffff9876543210e00001', '1b9c1845eb993a7a'],
  );
});

test('endings that take no PIN', () => {
  assert.deepEqual(pinOutcome('020203', new Uint8Array()), { kind: 'cancelled' });
  assert.deepEqual(pinOutcome('020201', new Uint8Array()), { kind: 'timeout' });
  for (const detail of ['000000', '020202', '020204', '020205', '020206', 'FFFFFF']) {
    assert.throws(() => pinOutcome(detail, bytes(good)), { code: 'refused' }, detail);
  }
});

test('a block that is none, and nothing of it is told', () => {
  const wrong = [
    '',
    'F500',
    good.slice(0, -2),
    `${good}00 01`,
    good.replace('DF710100', 'DF710103'),
    good.replace('DF710100', 'DF710300'),
    good.replace('DFDF420181', 'DFDF420180'),
    good.replace('F521', 'F621'),
    good.replace('9908', '9808'),
    good.replace('F521', 'F520').replace('9908 1B9C1845EB993A7A', '9907 1B9C1845EB993A'),
    good.replace('F521', 'F520').replace('0A FFFF9876543210E00001', '09 FF9876543210E00001'),
    good.replace('F521', 'F525').replace('DF710100', 'DF710100 DF710100'),
  ];
  for (const data of wrong) {
    assert.throws(
      () => pinOutcome('020101', bytes(data)),
      (error) => {
        assert.ok(error instanceof DeviceError && error.code === 'protocol', `${data}: ${String(error)}`);
        assert.doesNotMatch(error.message, /9876|1845/);
        return true;
      },
      data,
    );
  }
});

test('the request on the wire', async () => {
  for (const [again, name] of [
    [false, 'enter PIN, 60 s'],
    [true, 'enter PIN, 60 s, the last one was wrong'],
  ] as const) {
    const stage = mmsStage();
    await settled();
    const outcome = stage.reader.pinPad.enterPin({ ...request, again }, new AbortController().signal);
    await settled();
    const sent = Uint8Array.from(stage.messages.at(-1) ?? []);
    sent[5] = 0x01;
    assert.deepEqual(sent, named(name));
    stage.pin('pin');
    assert.equal((await outcome).kind, 'pin');
  }
});

test('a pad that takes no PIN says so', async () => {
  const stage = mmsStage();
  await settled();
  stage.byHand();
  const outcome = stage.reader.pinPad.enterPin(request, new AbortController().signal);
  await settled();
  stage.send(answerTo(stage.reference(), 'enter PIN answer, PIN key not mapped'));
  await assert.rejects(outcome, { code: 'refused' });
  assert.deepEqual(stage.requests.slice(-1), ['2001']);
});

test('a PIN before the request is answered is of an earlier one', async () => {
  const stage = mmsStage();
  await settled();
  stage.byHand();
  const outcome = stage.reader.pinPad.enterPin(request, new AbortController().signal);
  await settled();
  stage.send(named('PIN'), named('PIN entry cancelled'), answerTo(stage.reference(), 'enter PIN answer'));
  await settled();
  stage.send(named('transaction over, timed out'), named('PIN entry timed out'));
  assert.deepEqual(await outcome, { kind: 'timeout' });
});

test('a request that is not answered: ended, then time-out', async () => {
  const stage = mmsStage();
  await settled();
  stage.byHand();
  const outcome = stage.reader.pinPad.enterPin(request, new AbortController().signal);
  outcome.catch(() => {});
  await stage.clock.advance(2_000);
  assert.deepEqual(stage.messages.at(-1), fixtureRequest('end PIN entry', stage.reference()));
  stage.send(answerTo(stage.reference(), 'end PIN entry answer, nothing to end'));
  await assert.rejects(outcome, { code: 'timeout' });
});
