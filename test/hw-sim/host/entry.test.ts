import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ChipCard } from '../../../hw-sim/card/card.ts';
import { Chip } from '../../../hw-sim/card/chip.ts';
import { type HostMode, Iso8583Host } from '../../../hw-sim/host/iso8583/host.ts';
import { packedMessage, pinBlock, pinKsnObject } from './eps-till.ts';
import { findings, postings } from './started.ts';
import {
  ascii,
  lll,
  mid,
  readerObjects,
  responseCode,
  reversalMessage,
  saleMessage,
  Terminal,
  testBdk,
  testCards,
  tid,
} from './terminal.ts';
import { n12 } from './till.ts';

const cards = await testCards();
const visa = cards('visa');
const pinned: ChipCard = { ...cards('unionpay'), testPin: '135790' };
const deadline = { timeout: 20_000 };

async function started(t: TestContext, mode?: HostMode): Promise<{ host: Iso8583Host; at: Terminal }> {
  const host = new Iso8583Host({ id: 'EDC', cards: [visa, pinned], bdk: testBdk });
  t.after(() => host.close());
  await host.listen();
  if (mode) await host.setMode(mode);
  const at = await Terminal.open(host.port);
  t.after(() => at.end());
  return { host, at };
}

interface Parts {
  readonly type?: string;
  readonly processing?: string;
  readonly entry: string;
  readonly stan?: string;
  readonly transaction?: number;
  readonly pin?: string;
  readonly pinTransaction?: number;
  readonly change?: (fields: Map<number, string>) => void;
}

/** A message without field 55, from the stripe of a card. */
function stripe(card: ChipCard, parts: Parts): string {
  const { type = '0200', processing = '000000', stan = '000123', transaction = 1, pin, pinTransaction = 1 } = parts;
  const { pan, expiry, serviceCode, track2Discretionary } = card;
  const track2 = `${pan}D${expiry}${serviceCode}${track2Discretionary}`;
  const track = readerObjects('57', track2.length % 2 === 0 ? track2 : `${track2}F`, transaction);
  const fields = new Map([
    [3, processing],
    [4, n12(3000)],
    [11, stan],
    [22, `0${parts.entry}`],
    [24, '0003'],
    [25, '00'],
    [41, ascii(tid)],
    [42, ascii(mid)],
    [48, lll(pin === undefined ? track : track + pinKsnObject(pinTransaction))],
    [49, ascii('344')],
    ...(pin === undefined ? [] : ([[52, pinBlock(pin, pan, pinTransaction)]] as const)),
    [62, lll(ascii('000045'))],
  ] as [number, string][]);
  parts.change?.(fields);
  return packedMessage(type, fields);
}

const terms = {
  amountMinor: 3000n,
  currencyNumeric: '0344',
  countryNumeric: '0344',
  transactionType: '00',
  date: '260825',
  unpredictableNumber: Buffer.from('52BF4585', 'hex'),
  sequenceCounter: 1,
};

/** A chip in its slot, and the sale that comes of it. */
function inserted(card: ChipCard, parts: Omit<Parts, 'entry'> = {}): { chip: Chip; message: string } {
  const chip = new Chip(card);
  const objects = chip.transact(terms, 'contact');
  const sent = ['9F26', '9F27', '9F10', '9F37', '9F36', '95', '9A', '9C', '9F02', '5F2A', '82', '9F1A', '9F03', '9F34'];
  const message = stripe(card, {
    ...parts,
    entry: '051',
    change: (fields) => {
      fields.set(23, `00${card.panSequenceNumber}`);
      fields.set(55, lll(sent.map((tag) => tlv(tag, objects.get(tag) ?? Buffer.alloc(0))).join('')));
      parts.change?.(fields);
    },
  });
  return { chip, message };
}

function tlv(tag: string, value: Buffer): string {
  return tag + value.length.toString(16).padStart(2, '0') + value.toString('hex');
}

/** Tag 91 of an answer that ends with field 55. */
const tag91 = (answer: string): Buffer => {
  const hex = /8A02[\dA-F]{4}91[\dA-F]{2}(?<data>[\dA-F]+)$/.exec(answer)?.groups?.['data'];
  assert.ok(hex);
  return Buffer.from(hex, 'hex');
};

describe('a contact chip', deadline, () => {
  for (const name of ['visa', 'unionpay'] as const) {
    it(`of ${name} is approved, and believes the ARPC that it is answered`, async (t) => {
      const { host, at } = await started(t);
      const { chip, message } = inserted(name === 'visa' ? visa : pinned);
      const answer = await at.ask(message);
      assert.equal(responseCode(answer), '00');
      assert.deepEqual(postings(host), ['SALE 30.00 POSTED']);
      assert.deepEqual(host.unexpected, []);
      const decision = { answered: true, responseCode: '00', authenticationData: tag91(answer), scripts: [] };
      assert.equal(chip.conclude(decision).get('9F27')?.toString('hex'), '40');
    });
  }

  it('that is declined is answered an ARPC for that code', async (t) => {
    const { at } = await started(t, { mode: 'up', decline: '05' });
    const { chip, message } = inserted(visa);
    const answer = await at.ask(message);
    assert.equal(responseCode(answer), '05');
    const decision = { answered: true, responseCode: '05', authenticationData: tag91(answer), scripts: [] };
    const objects = chip.conclude(decision);
    // Declined, and not because the issuer had not been the issuer.
    assert.deepEqual([objects.get('9F27')?.toString('hex'), objects.get('95')?.toString('hex')], ['00', '8000000000']);
  });

  it('with a wrong PIN is 55 with an ARPC; with the right one, the same cryptogram is approved', async (t) => {
    const { host, at } = await started(t);
    const { message } = inserted(pinned, { pin: '135791' });
    const answer = await at.ask(message);
    assert.equal(responseCode(answer), '55');
    assert.match(answer, /8A0235359108[\dA-F]{16}$/);
    const again = inserted(pinned, { stan: '000124', pin: '135790', pinTransaction: 2 });
    assert.equal(responseCode(await at.ask(again.message)), '00');
    assert.deepEqual(postings(host), ['SALE 30.00 POSTED']);
    assert.deepEqual(host.unexpected, []);
  });

  it('without field 55 is 30', async (t) => {
    const { host, at } = await started(t);
    assert.equal(responseCode(await at.ask(stripe(visa, { entry: '051' }))), '30');
    assert.equal(responseCode(await at.ask(stripe(visa, { entry: '071', type: '0100' }))), '30');
    assert.deepEqual(findings(host), ['a sale without field 55', 'an auth without field 55']);
  });

  it('that the card does not have is 63', async (t) => {
    const { name, pan, expiry, serviceCode, track2Discretionary, cardholderName, brand, source } = visa;
    const common = { name, pan, expiry, serviceCode, track2Discretionary, cardholderName, brand, source };
    const host = new Iso8583Host({ id: 'EDC', cards: [{ ...common, interfaces: ['stripe'] }], bdk: testBdk });
    t.after(() => host.close());
    const at = await Terminal.open(await host.listen());
    t.after(() => at.end());
    assert.equal(responseCode(await at.ask(saleMessage({ card: visa }))), '63');
    assert.deepEqual(findings(host), ['field 55 of a card without a chip']);
  });
});

describe('a stripe', deadline, () => {
  for (const entry of ['901', '801', '902']) {
    it(`under entry mode ${entry} is approved without field 55, and reversed`, async (t) => {
      const { host, at } = await started(t);
      const answer = await at.ask(stripe(visa, { entry }));
      assert.equal(answer.slice(10, 30), '0210303801000E800000');
      assert.equal(responseCode(answer), '00');
      assert.equal(responseCode(await at.ask(reversalMessage({ card: visa }))), '00');
      assert.deepEqual(postings(host), ['SALE 30.00 REVERSED']);
      assert.deepEqual(host.unexpected, []);
      assert.equal('account' in (host.ledger()[0] ?? {}), false);
    });
  }

  it('serves an auth and a refund as well', async (t) => {
    const { host, at } = await started(t);
    await at.ask(stripe(visa, { entry: '901', type: '0100', stan: '000001' }));
    await at.ask(stripe(visa, { entry: '901', processing: '200000', stan: '000002', transaction: 2 }));
    assert.deepEqual(postings(host), ['AUTH 30.00 POSTED', 'REFUND 30.00 POSTED']);
    assert.deepEqual(host.unexpected, []);
  });

  it('that was read once may be used once', async (t) => {
    const { host, at } = await started(t);
    await at.ask(stripe(visa, { entry: '901', stan: '000001' }));
    await at.ask(stripe(visa, { entry: '901', stan: '000002' }));
    assert.deepEqual(findings(host), ['a key serial number that was used before']);
  });

  it('of an amount of nothing or in a currency that is not settled here is refused', async (t) => {
    const { host, at } = await started(t);
    const nothing = stripe(visa, { entry: '901', change: (fields) => fields.set(4, n12(0)) });
    const foreign = stripe(visa, { entry: '901', change: (fields) => fields.set(49, ascii('999')) });
    assert.deepEqual([responseCode(await at.ask(nothing)), responseCode(await at.ask(foreign))], ['13', '12']);
    assert.deepEqual(host.ledger(), []);
  });

  it('with a PIN is verified where the card has one', async (t) => {
    const { host, at } = await started(t);
    const right = stripe(pinned, { entry: '901', pin: '135790' });
    assert.equal(responseCode(await at.ask(right)), '00');
    const unknown = stripe(visa, { entry: '901', pin: '1234', stan: '000124', transaction: 2, pinTransaction: 2 });
    assert.equal(responseCode(await at.ask(unknown)), '55');
    assert.deepEqual(postings(host), ['SALE 30.00 POSTED']);
  });

  it('with half of a PIN is 30', async (t) => {
    const { host, at } = await started(t);
    const keyless = stripe(pinned, { entry: '901', change: (fields) => fields.set(52, '1B9C1845EB993A7A') });
    const blockless = stripe(pinned, { entry: '901', pin: '135790', change: (fields) => fields.delete(52) });
    assert.deepEqual([responseCode(await at.ask(keyless)), responseCode(await at.ask(blockless))], ['30', '30']);
    assert.deepEqual(host.ledger(), []);
  });
});
