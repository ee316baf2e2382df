import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type ChipCard, hasChip, loadCards } from '../../../hw-sim/card/card.ts';
import { Chip, type TransactionTerms } from '../../../hw-sim/card/chip.ts';

const fixture = JSON.parse(
  readFileSync(new URL('../../../fixtures/crypto/card-cryptograms.json', import.meta.url), 'utf8'),
) as {
  readonly terms: Omit<TransactionTerms, 'amountMinor' | 'unpredictableNumber' | 'sequenceCounter'> & {
    readonly amountMinor: number;
    readonly unpredictableNumber: string;
  };
  readonly arqc: Readonly<Record<string, string>>;
};
const cards = await loadCards(fileURLToPath(new URL('../../../fixtures/cards', import.meta.url)));
const terms: TransactionTerms = {
  ...fixture.terms,
  amountMinor: BigInt(fixture.terms.amountMinor),
  unpredictableNumber: Buffer.from(fixture.terms.unpredictableNumber, 'hex'),
  sequenceCounter: 7,
};

describe('the cryptogram of each test card', () => {
  test('there is one for every card with a chip', () => {
    assert.deepEqual(Object.keys(fixture.arqc).sort(), [...cards.keys()].filter((name) => name !== 'eps').sort());
  });
  for (const [name, arqc] of Object.entries(fixture.arqc)) {
    test(name, () => assert.equal(hexOf(new Chip(card(name)).transact(terms), '9F26'), arqc));
  }
});

describe('one contactless transaction', () => {
  test('gives the data objects of a Visa card and its reader', () => {
    const objects = new Chip(card('visa')).transact(terms);
    const expected: Record<string, string> = {
      '84': 'A0000000031010',
      '50': Buffer.from('VISA CREDIT').toString('hex').toUpperCase(),
      '9F12': Buffer.from('Visa Credit').toString('hex').toUpperCase(),
      '57': '4761739001010119D311220117588928',
      '5A': '4761739001010119',
      '5F20': Buffer.from('CARDHOLDER/VISA').toString('hex').toUpperCase(),
      '5F24': '311231',
      '5F2A': '0344',
      '5F34': '01',
      '82': '3C00',
      '95': '8000000000',
      '9A': '261121',
      '9C': '00',
      '9F02': '000000003000',
      '9F03': '000000000000',
      '9F09': '0096',
      '9F10': '06011203A00000',
      '9F1A': '0344',
      '9F1E': Buffer.from('Terminal').toString('hex').toUpperCase(),
      '9F26': '71C43E4C200FB0AF',
      '9F27': '80',
      '9F33': '60F800',
      '9F34': '1E0300',
      '9F35': '21',
      '9F36': '0001',
      '9F37': '52BF4585',
      '9F39': '07',
      '9F41': '00000007',
      '9F6E': '20700000',
      DF52: '01',
    };
    const reported = Object.fromEntries([...objects.keys()].map((tag) => [tag, hexOf(objects, tag)]));
    assert.deepEqual(reported, expected);
  });

  test('an odd number of digits ends with F', () => {
    const objects = new Chip(card('amex')).transact(terms);
    assert.equal(hexOf(objects, '5A'), '378282246310005F');
    assert.equal(hexOf(objects, '57'), '378282246310005D3112201150412345');
  });

  test('a card that asks for a signature says so twice', () => {
    const objects = new Chip(card('unionpay')).transact(terms);
    assert.equal(hexOf(objects, '9F34'), '1E0300');
    assert.equal(hexOf(objects, 'DF52'), '01');
  });

  test('the counter goes up, and the cryptogram changes with it', () => {
    const chip = new Chip(card('visa'));
    const first = chip.transact(terms);
    const second = chip.transact(terms);
    assert.equal(hexOf(first, '9F36'), '0001');
    assert.equal(hexOf(second, '9F36'), '0002');
    assert.notEqual(hexOf(first, '9F26'), hexOf(second, '9F26'));
    assert.equal(chip.transactions, 2);
  });

  test('every element of the cryptogram counts', () => {
    const base = hexOf(new Chip(card('visa')).transact(terms), '9F26');
    const changes: Partial<TransactionTerms>[] = [
      { amountMinor: 3001n },
      { amountOtherMinor: 1n },
      { currencyNumeric: '0840' },
      { countryNumeric: '0840' },
      { transactionType: '20' },
      { date: '261122' },
      { unpredictableNumber: Buffer.alloc(4) },
    ];
    for (const change of changes) {
      assert.notEqual(hexOf(new Chip(card('visa')).transact({ ...terms, ...change }), '9F26'), base);
    }
  });

  test('an amount of thirteen digits is refused', () => {
    assert.throws(() => new Chip(card('visa')).transact({ ...terms, amountMinor: 10n ** 12n }), RangeError);
  });
});

function card(name: string): ChipCard {
  const found = cards.get(name);
  assert.ok(found && hasChip(found));
  return found;
}

function hexOf(objects: ReadonlyMap<string, Buffer>, tag: string): string | undefined {
  return objects.get(tag)?.toString('hex').toUpperCase();
}
