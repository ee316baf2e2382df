import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as commands from '../../../../drivers/card-reader/mms/commands.ts';
import { decodeMessage, encodeRequest } from '../../../../drivers/card-reader/mms/message.ts';
import type { CardDecision, CollectRequest } from '../../../../src/base/ports/card-reader.ts';
import { bytes, hex, messages, named } from './fixture-messages.ts';

const request: CollectRequest = { amount: { minor: 3000n, currency: 'HKD' }, type: 'purchase', timeoutMs: 60_000 };
const every = ['contactless', 'chip', 'magstripe'] as const;
const encoded = (command: Parameters<typeof encodeRequest>[1], reference = 0x01) =>
  hex(encodeRequest(reference, command));
const expected = (name: string) => hex(named(name));

test('the published start message in the EMV flow, and the same for 30.00 HKD', () => {
  const dollar = { ...request, amount: { minor: 100n, currency: 'USD' } as const, interfaces: every };
  assert.equal(encoded(commands.start(dollar), 0x00), expected('start, all interfaces, 60 s, 1.00 USD'));
  assert.equal(
    encoded(commands.start({ ...dollar, interfaces: ['contactless'] }), 0x00),
    expected('start, contactless, 60 s, 1.00 USD'),
  );
  assert.equal(
    encoded(commands.start({ ...request, interfaces: every }), 0x00),
    expected('start, all interfaces, 60 s, 30.00 HKD'),
  );
});

test('start: the interfaces that are armed, the type, the time', () => {
  assert.equal(encoded(commands.start(request)), expected('start, contactless, 60 s, 30.00 HKD'), 'contactless alone');
  assert.equal(
    encoded(commands.start({ ...request, type: 'refund', interfaces: ['chip'] })),
    expected('start, chip, 60 s, refund of 30.00 HKD'),
  );
  for (const [timeoutMs, seconds] of [
    [1, '01'],
    [1_001, '02'],
    [600_000, 'ff'],
  ] as const) {
    assert.match(encoded(commands.start({ ...request, timeoutMs })), new RegExp(`^.{24}8201${seconds}`));
  }
});

test('the published cancel', () => {
  assert.equal(encoded(commands.cancel, 0x13), expected('cancel'));
});

test('the published reset', () => {
  assert.equal(encoded({ id: 0x1f01, parameters: [] }, 0x12), expected('reset'));
});

test('resume, as published and as the fixtures have it', () => {
  const serial = Buffer.from('B35E2CD080116AA', 'latin1');
  const approved = (issuerData: ReadonlyMap<string, Uint8Array>): CardDecision => ({
    kind: 'approved',
    responseCode: '00',
    issuerData,
  });
  const issuerData = new Map([
    ['8A', bytes('3035')],
    ['72', bytes('9F180400000002 8606841E000001BB')],
    ['91', bytes('1122334455667788 3030')],
    ['71', bytes('9F180400000001 86068418000001AA')],
    ['9F26', bytes('00')],
  ]);
  assert.equal(encoded(commands.resume(approved(issuerData), serial)), expected('resume, approved, with scripts'));
  assert.equal(
    encoded(commands.resume(approved(new Map()), bytes('992690E116120710')), 0x00),
    expected('resume, approved'),
  );
  assert.equal(
    encoded(commands.resume({ kind: 'declined', responseCode: '05', issuerData: new Map() }, serial)),
    expected('resume, declined 05'),
  );
  assert.equal(encoded(commands.resume({ kind: 'unreachable' }, serial)), expected('resume, host unreachable'));
  for (const responseCode of ['', '0', '000', '0?', '\u00d600']) {
    assert.throws(() => commands.resume({ kind: 'declined', responseCode, issuerData: new Map() }, serial), RangeError);
  }
});

test('enter PIN, as the fixtures have it', () => {
  assert.equal(encoded(commands.enterPin({ timeoutMs: 60_000, again: false })), expected('enter PIN, 60 s'));
  assert.equal(
    encoded(commands.enterPin({ timeoutMs: 60_000, again: true })),
    expected('enter PIN, 60 s, the last one was wrong'),
  );
  assert.equal(encoded(commands.endPin), expected('end PIN entry'));
});

test('the published answers', () => {
  const empty = { kind: 'response', summary: 0x00, detail: '000000' } as const;
  assert.deepEqual(decodeMessage(named('cancel answer')), {
    ...empty,
    reference: 0x13,
    id: 0x1008,
    data: bytes('1008'),
  });
  assert.deepEqual(decodeMessage(named('resume answer')), {
    ...empty,
    reference: 0x06,
    id: 0x1004,
    data: bytes('1004'),
  });
});

test('every answer and notification of the fixtures is one, and no request is', () => {
  for (const { name, direction, hex: whole } of messages) {
    if (direction === 'split') continue;
    const found = decodeMessage(bytes(whole));
    assert.equal(found?.kind, direction === 'request' ? undefined : direction, name);
  }
});

test('codes of a notification', () => {
  const found = decodeMessage(named('contactless collision'));
  assert.deepEqual(found, {
    kind: 'notification',
    id: 0x0101,
    technology: 0x20,
    detail: '010500',
    data: new Uint8Array(),
  });
});

test('what a device may send and this terminal has no use for', () => {
  for (const type of ['81', '84']) {
    assert.deepEqual(decodeMessage(bytes(`AA00 8104 ${type}001803 8202AABB 8403 010203`)), { kind: 'other' });
  }
});

test('what is no message', () => {
  const good = 'AA00 8104 82011001 8204 00000000 8402 1001';
  assert.equal(decodeMessage(bytes(good))?.kind, 'response');
  const wrong = [
    '',
    'AA',
    'AA00',
    good.replace('AA00', 'AB00'),
    good.replace('AA00', 'AA01'),
    good.replace('8104 82011001', ''),
    good.replace('8104 82011001', '8103 820110'),
    good.replace('8104 82011001', '8105 8201100100'),
    good.replace('8104 8201', '8104 0201'),
    good.replace('8104 8201', '8104 0001'),
    good.replace('8204 00000000', ''),
    good.replace('8204 00000000', '8203 000000'),
    good.replace('8204 00000000', '8205 0000000000'),
    `${good} 8402 1001`,
    good.slice(0, -2),
    `${good} 84`,
  ];
  for (const each of wrong) assert.equal(decodeMessage(bytes(each)), undefined, each);
});

test('what is decoded is a copy', () => {
  const message = named('cancel answer');
  const found = decodeMessage(message);
  message.fill(0);
  assert.ok(found?.kind === 'response');
  assert.deepEqual(found.data, bytes('1008'));
});
