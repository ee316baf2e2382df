import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { HostOutcome } from '../../../src/payment/contracts/acquirer-host.ts';
import { packedMessage } from '../../codecs/iso8583/notation.ts';
import { bench, bytes, framed, saleOrder, text } from './terminal.ts';

/** What hosts write into the fields that the terminal reads, otherwise than most. */
const deadline = { timeout: 10_000 };

const fields: Readonly<Record<number, string>> = {
  3: '000000',
  4: '000000003000',
  11: '000123',
  12: '101530',
  13: '0825',
  24: '0003',
  37: text('623710000123'),
  38: text('A1B2C3'),
  39: text('00'),
  41: text('12345678'),
};

async function answered(t: TestContext, changed: Readonly<Record<number, string>>): Promise<HostOutcome> {
  const { host, acquirer } = await bench(t);
  const outcome = acquirer.request(saleOrder);
  const side = await host.accepted();
  await side.readFrame();
  await side.write(framed(packedMessage('0210', { ...fields, ...changed })));
  return outcome;
}

const lll = (hex: string) => (hex.length / 2).toString().padStart(4, '0') + hex;

const authentication = '9108AABBCCDDEEFF0011';
const issuer = new Map([['91', bytes('AABBCCDDEEFF0011')]]);
const script = '9F18040000000186042400000001';
const padded: readonly [what: string, field55: string, ReadonlyMap<string, Uint8Array>][] = [
  ['00 behind', `${authentication}0000`, issuer],
  ['00 before', `0000${authentication}`, issuer],
  ['FF behind', `${authentication}FFFF`, issuer],
  ['one FF behind', `${authentication}FF`, issuer],
  ['FF before', `FFFF${authentication}`, issuer],
  ['one FF before', `FF${authentication}`, issuer],
  ['FF and 00 between', `8A023030FF00FF${authentication}00FF8A023030`, issuer],
  ['FF alone', 'FFFFFFFF', new Map()],
  ['00 alone', '00', new Map()],
  ['no byte', '', new Map()],
  ['an object twice', `${authentication}91081122334455667788`, issuer],
  ['a length of two bytes', '918108AABBCCDDEEFF0011', issuer],
  ['a length of three bytes', '91820008AABBCCDDEEFF0011', issuer],
  ['a script without a command', `${authentication}7100`, issuer],
  ['empty authentication data', '9100', new Map()],
  ['objects that are nobody’s', `DF8101030102039F6E0101${authentication}E2035001419F360200`.concat('01'), issuer],
  ['a private template', `FF0103010203${authentication}`, issuer],
  ['two scripts, FF before each', `FFFF720E${script}FF720E${script}`, new Map([['72', bytes(script)]])],
];

for (const [what, field55, issuerData] of padded) {
  test(`field 55, ${what}: an approval with what it has for the card`, deadline, async (t) => {
    const outcome = await answered(t, { 55: lll(field55) });
    assert.equal(outcome.kind, 'approved');
    assert.deepEqual(outcome.issuerData, issuerData);
  });
}

for (const [what, field55] of [
  ['cut short', '9108AABBCC'],
  ['of no length', `91`],
  ['of indefinite length', '9180AABB0000'],
  ['behind FF, cut short', 'FFFF9108AABBCC'],
] as const) {
  test(`field 55, an object ${what}: garbled`, deadline, async (t) => {
    assert.deepEqual(await answered(t, { 55: lll(field55) }), { kind: 'unknown', reason: 'garbled-answer' });
  });
}

const accepted: readonly [what: string, changed: Readonly<Record<number, string>>, fields: object][] = [
  ['the currency in letters', { 49: text('HKD') }, {}],
  ['the currency in digits', { 49: text('344') }, {}],
  ['a blank currency', { 49: text('   ') }, {}],
  ['a blank reference number', { 37: text(' '.repeat(12)) }, { rrn: '' }],
  ['a reference number of letters', { 37: text('ABCDEFGHIJKL') }, { rrn: 'ABCDEFGHIJKL' }],
  ['an approval code in small letters', { 38: text('ab12cd') }, { approvalCode: 'ab12cd' }],
  // Later messages name the transaction by exactly this.
  ['an approval code with spaces', { 38: text(' A1 2 ') }, { approvalCode: ' A1 2 ' }],
  ['an approval code of zeros', { 38: text('000000') }, { approvalCode: '000000' }],
  ['a time that no clock shows', { 12: '246060' }, { hostTime: '246060', hostDate: '0825' }],
  ['a date that no calendar has', { 13: '0230' }, { hostTime: '101530', hostDate: '0230' }],
  ['a time filled with F', { 12: 'FFFFFF' }, { hostTime: '', hostDate: '0825' }],
  ['a date filled with F', { 13: 'FFFF' }, { hostTime: '101530', hostDate: '' }],
];

for (const [what, changed, reported] of accepted) {
  test(`${what}: approved`, deadline, async (t) => {
    const outcome = await answered(t, changed);
    assert.equal(outcome.kind, 'approved');
    assert.partialDeepStrictEqual(outcome, reported);
  });
}

for (const currency of ['840', 'USD', 'hkd', 'H D', '34 ']) {
  test(`an approval in currency '${currency}' is neither approval nor decline`, deadline, async (t) => {
    assert.deepEqual(await answered(t, { 49: text(currency) }), { kind: 'unknown', reason: 'garbled-answer' });
  });
}

for (const code of ['0A', '0a', 'n7']) {
  test(`response code ${code} declines`, deadline, async (t) => {
    const declined = { kind: 'declined', reason: 'declined', responseCode: code, rrn: '623710000123' };
    assert.deepEqual(await answered(t, { 39: text(code) }), declined);
  });
}
