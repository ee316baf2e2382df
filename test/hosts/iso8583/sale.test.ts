import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { Iso8583Config } from '../../../src/hosts/iso8583/host.ts';
import type { CardAtHand, HostOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import { answerFrame, bench, bytes, cardAtHand, emv, framed, type PresentedOrder, saleOrder } from './terminal.ts';

const deadline = { timeout: 10_000 };

const expectedSale = [
  '00DE',
  '6000030000',
  '0200',
  '3020078000C18204', // 3 4 11 22 23 24 25 41 42 48 49 55 62
  '000000',
  '000000003000',
  '000123',
  '0071',
  '0001',
  '0003',
  '00',
  '3132333435363738',
  '313233343536373839303132333435',
  '0041DFEE120AFFFF9876543210E0000157C118A1A2A3A4A5A6A7A8B1B2B3B4B5B6B7B8C1C2C3C4C5C6C7C8',
  '333434',
  '01099F26087A788EA6B8A3E7339F2701809F100706011203A0B8009F370452BF45859F3602001C950580000480009A032608259C01009F0206',
  '0000000030005F2A020344820218009F1A0203449F03060000000000009F3303E0F8C89F34034203009F3501228407A0000000031010',
  '0006303030303435',
].join('');

const withCard = (card: Partial<CardAtHand>): PresentedOrder => ({ ...saleOrder, card: { ...cardAtHand, ...card } });

/** Field by field: where each value begins in a sale's bytes, so that a test can name the one that differs. */
const fieldsOf = (frame: string) => ({
  bitmap: frame.slice(18, 34),
  entryMode: frame.slice(58, 62),
});

interface Exchanged {
  request: string;
  outcome: HostOutcome;
}

async function exchanged(
  t: TestContext,
  answer: string,
  order: PresentedOrder = saleOrder,
  config: Partial<Iso8583Config> = {},
): Promise<Exchanged> {
  const { host, clock, acquirer } = await bench(t, config);
  const outcome = acquirer.request(order);
  const side = await host.accepted();
  const request = await side.readFrame();
  await side.write(answer);
  const settled = { request, outcome: await outcome };
  assert.equal(clock.pending, 0, 'no timer is left behind');
  return settled;
}

const approved: HostOutcome = {
  kind: 'approved',
  responseCode: '00',
  approvalCode: 'A1B2C3',
  rrn: '623710000123',
  hostTime: '101530',
  hostDate: '0825',
  issuerData: new Map(),
};
const garbled: HostOutcome = { kind: 'unknown', reason: 'garbled-answer' };

test('a sale, byte for byte', deadline, async (t) => {
  const { request, outcome } = await exchanged(t, answerFrame());
  assert.equal(request, expectedSale);
  assert.deepEqual(outcome, approved);
});

test('the sample approval, with its issuer data', deadline, async (t) => {
  const samples: readonly { name: string; hex: string }[] = JSON.parse(
    readFileSync(new URL('../../../fixtures/messages/iso8583.json', import.meta.url), 'utf8'),
  );
  const sample = samples.find(({ name }) => name === '0210 approve');
  assert.ok(sample);
  const { outcome } = await exchanged(t, sample.hex);
  assert.deepEqual(outcome, { ...approved, issuerData: new Map([['91', bytes('9AF514C100000000')]]) });
});

test('no clear card data leaves: not 2, 14, 35, 36 or 45', deadline, async (t) => {
  const { request } = await exchanged(t, answerFrame());
  const bitmap = BigInt(`0x${fieldsOf(request).bitmap}`);
  for (const field of [2, 14, 35, 36, 45]) assert.equal((bitmap >> BigInt(64 - field)) & 1n, 0n, `field ${field}`);
  assert.ok(!request.includes('56495341'), 'the application label is not on the list');
});

const entryModes = { CONTACTLESS: '0071', CHIP: '0051', MAGSTRIPE: '0901', FALLBACK: '0801', MANUAL: '0011' } as const;

for (const [entryMode, field22] of Object.entries(entryModes)) {
  test(`entry mode ${entryMode} is ${field22}`, deadline, async (t) => {
    const order = withCard({ entryMode: entryMode as keyof typeof entryModes });
    assert.equal(fieldsOf((await exchanged(t, answerFrame(), order)).request).entryMode, field22);
  });
}

test('a card without chip and sequence number has no fields 23 and 55', deadline, async (t) => {
  const { panSequenceNumber: _, ...card } = cardAtHand;
  const order = { ...saleOrder, card: { ...card, emv: new Map(), entryMode: 'MAGSTRIPE' as const } };
  const { request } = await exchanged(t, answerFrame(), order);
  assert.equal(fieldsOf(request).bitmap, '3020058000C18004');
  assert.equal(request.length / 2, 0xde + 2 - 2 - 111);
});

test('the country fills 9F1A only where the reader left it out', deadline, async (t) => {
  const config = { countryNumeric: '156' };
  const without = new Map([...emv].filter(([tag]) => tag !== '9F1A'));
  const filled = await exchanged(t, answerFrame(), withCard({ emv: without }), config);
  assert.equal(filled.request, expectedSale.replace('9F1A020344', '9F1A020156'));
  const own = await exchanged(t, answerFrame(), saleOrder, config);
  assert.equal(own.request, expectedSale);
});

test('an AES key serial number is longer; the marker stays C1', deadline, async (t) => {
  const order = withCard({ ksn: bytes('123456789012345600000001') });
  const { request } = await exchanged(t, answerFrame(), order);
  assert.ok(request.includes('0043DFEE120C12345678901234560000000157C118A1A2'));
});

/** The answer that declines with 05, with this in field 55. */
function declinedWith(field55: string): string {
  const length = (field55.length / 2).toString().padStart(4, '0');
  return answerFrame({ responseCode: '05', approvalCode: '' })
    .replace('303801000A800000', '303801000A800200')
    .replace(/^.{4}/, (old) => (Number.parseInt(old, 16) + 2 + field55.length / 2).toString(16).padStart(4, '0'))
    .concat(length, field55);
}

test('a decline has what its issuer tells the card, and nothing else', deadline, async (t) => {
  const declined = { kind: 'declined', reason: 'doNotHonour', responseCode: '05', rrn: '623710000123' };
  const script = '9F1804000000028606841E000001BB';
  const reported = await exchanged(t, declinedWith(`8A02303591081122334455667788720F${script}5A084761739001010119`));
  const issuerData = new Map([
    ['91', bytes('1122334455667788')],
    ['72', bytes(script)],
  ]);
  assert.deepEqual(reported.outcome, { ...declined, issuerData });
  for (const nothing of ['8A023035', '9108', '72']) {
    assert.deepEqual((await exchanged(t, declinedWith(nothing))).outcome, declined, nothing);
  }
});

test('UnionPay differs by its data: 9F63 goes to CUP and not to EDC', deadline, async (t) => {
  const order = withCard({ emv: new Map([...emv, ['9F63', bytes('30313032')]]) });
  const cup = await exchanged(t, answerFrame(), order, { dialect: 'CUP' });
  assert.ok(cup.request.includes('8407A00000000310109F630430313032'));
  const edc = await exchanged(t, answerFrame(), order);
  assert.equal(edc.request, expectedSale);
});

test('other amounts, currencies and numbers', deadline, async (t) => {
  const { request } = await exchanged(t, answerFrame({ stan: '999999', amount: '999999999999' }), {
    ...saleOrder,
    amount: { minor: 999_999_999_999n, currency: 'JPY' },
    trace: { stan: 999_999, invoice: 999_999, batch: 1 },
  });
  assert.ok(request.startsWith('00DE600003000002003020078000C18204000000999999999999999999'));
  assert.ok(request.includes('C7C8333932'), 'yen is 392');
  assert.ok(request.endsWith('0006393939393939'));
});

for (const responseCode of ['00', '08', '11', '16']) {
  test(`code ${responseCode} approves`, deadline, async (t) => {
    const { outcome } = await exchanged(t, answerFrame({ responseCode }));
    assert.deepEqual(outcome, { ...approved, responseCode });
  });
}

for (const [responseCode, reason] of [
  ['51', 'insufficientFunds'],
  ['05', 'doNotHonour'],
  ['09', 'hostTrouble'],
  ['91', 'hostTrouble'],
  ['96', 'hostTrouble'],
  ['57', 'notPermittedToCardholder'],
  ['58', 'notPermittedToTerminal'],
  ['03', 'terminalUnknown'],
  ['89', 'terminalUnknown'],
  ['97', 'terminalUnknown'],
  ['N7', 'declined'],
] as const) {
  test(`code ${responseCode} declines, with or without an approval code`, deadline, async (t) => {
    const doubt = ['09', '91', '96'].includes(responseCode) ? { undecided: true } : {};
    const declined = { kind: 'declined', reason, responseCode, rrn: '623710000123', ...doubt };
    assert.deepEqual((await exchanged(t, answerFrame({ responseCode }))).outcome, declined);
    assert.deepEqual((await exchanged(t, answerFrame({ responseCode, approvalCode: '' }))).outcome, declined);
  });
}

/** Fields 3 and 4, 11 and 24, 37 to 39, 41. */
const money = '000000000000003000';
const trace = '0001230003';
const approval = '3632333731303030303132334131423243333030';
const tid = '3132333435363738';

const noApprovals: readonly [what: string, answer: string][] = [
  ['an approval without its code', answerFrame({ approvalCode: '' })],
  ['an approval with a blank code', answerFrame({ approvalCode: '      ' })],
  ['an approval of another amount', answerFrame({ amount: '000000002999' })],
  ['a partial approval', answerFrame({ amount: '000000001000', responseCode: '10' })],
  ['a decline of another amount', answerFrame({ amount: '000000000300', responseCode: '51' })],
  ['a blank response code', answerFrame({ responseCode: '  ' })],
  ['an approval without its amount', framed('0210', '202001000E800000', money.slice(0, 6), trace, approval, tid)],
  ['an approval in another currency', framed('0210', '302001000E808000', money, trace, approval, tid, '383430')],
  ['an answer without a response code', framed('0210', '3020010000800000', money, trace, tid)],
  [
    'an approval with truncated issuer data',
    framed('0210', '302001000E800200', money, trace, approval, tid, '0009', '9108', '9AF514C1000000'),
  ],
];

for (const [what, answer] of noApprovals) {
  test(`${what} is neither approval nor decline`, deadline, async (t) => {
    assert.deepEqual((await exchanged(t, answer)).outcome, garbled);
  });
}

test('issuer data are 91, 71 and 72 alone', deadline, async (t) => {
  const issuerData = ['8A023030', '91021122', '7103860133', '72048602AABB', '9F36020001'];
  const answer = framed('0210', '302001000E800200', money, trace, approval, tid, '0024', ...issuerData);
  const { outcome } = await exchanged(t, answer);
  assert.deepEqual(outcome, {
    ...approved,
    hostTime: '',
    hostDate: '',
    issuerData: new Map([
      ['91', bytes('1122')],
      ['71', bytes('860133')],
      ['72', bytes('8602AABB')],
    ]),
  });
});

test('what can only be a fault of the caller is thrown, and nothing is dialled', deadline, async (t) => {
  const { acquirer, host } = await bench(t);
  const wrong: readonly PresentedOrder[] = [
    { ...saleOrder, trace: { stan: 1_000_000, invoice: 1, batch: 1 } },
    { ...saleOrder, amount: { minor: 1_000_000_000_000n, currency: 'HKD' } },
    { ...saleOrder, amount: { minor: -1n, currency: 'HKD' } },
    { ...saleOrder, tipMinor: -1n },
    { ...saleOrder, trace: { stan: 1, invoice: 1_000_000, batch: 1 } },
    { ...saleOrder, trace: { stan: Number.NaN, invoice: 1, batch: 1 } },
    withCard({ ksn: bytes('FFFF98') }),
    withCard({ encryptedTrack2: new Uint8Array(0) }),
    withCard({ panSequenceNumber: '1x' }),
  ];
  for (const order of wrong) await assert.rejects(acquirer.request(order));
  assert.equal(acquirer.link, 'idle');
  assert.equal(host.connections, 0);
});

test('a wrong identity is refused at once', deadline, async (t) => {
  for (const config of [
    { tid: '1234567' },
    { tid: '1234567é' },
    { mid: '12345678901234' },
    { nii: '3' },
    { tpdu: '60000300' },
    { countryNumeric: 'HK' },
    { timeZone: 'Nowhere/Else' },
  ]) {
    await assert.rejects(bench(t, config), RangeError, JSON.stringify(config));
  }
});
