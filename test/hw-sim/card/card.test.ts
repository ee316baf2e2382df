import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hasChip, hasInterface, loadCards, parseCard } from '../../../hw-sim/card/card.ts';

const fixtures = fileURLToPath(new URL('../../../fixtures/cards', import.meta.url));

describe('the test cards', () => {
  test('of each scheme, sorted by name', async () => {
    const cards = await loadCards(fixtures);
    assert.deepEqual(
      [...cards.values()].map((card) => [card.name, card.brand, card.pan]),
      [
        ['amex', 'AMEX', '378282246310005'],
        ['eps', 'EPS', '6759649826438453'],
        ['jcb', 'JCB', '3530111333300000'],
        ['mastercard-pin', 'MASTER', '5105105105105100'],
        ['mastercard', 'MASTER', '5555555555554444'],
        ['unionpay', 'UNIONPAY', '6200000000000005'],
        ['visa-debit', 'VISA', '4111111111111111'],
        ['visa', 'VISA', '4761739001010119'],
      ],
    );
    for (const [name, card] of cards) assert.equal(name, card.name);
  });

  test('every key is the published test key, every number has its source', async () => {
    for (const card of (await loadCards(fixtures)).values()) {
      assert.notEqual(card.source, '');
      if (!hasChip(card)) continue;
      assert.equal(card.testKeyImkAc, '0123456789ABCDEFFEDCBA9876543210');
      assert.ok(card.cryptogram.issuerApplicationData.includes(card.cryptogram.version));
      // The highest bits of the card verification results: no second cryptogram yet, an ARQC first.
      const issuerData = Buffer.from(card.cryptogram.issuerApplicationData, 'hex');
      assert.equal(issuerData[card.verificationResultsAt], 0xa0);
    }
  });

  test('every card has all interfaces, the bank card its stripe; two have a PIN', async () => {
    for (const card of (await loadCards(fixtures)).values()) {
      const stripeOnly = card.name === 'eps';
      assert.equal(hasChip(card), !stripeOnly);
      assert.deepEqual(card.interfaces, stripeOnly ? ['stripe'] : ['contactless', 'chip', 'stripe']);
      assert.equal(hasInterface(card, 'stripe'), true);
      assert.equal(hasInterface(card, 'chip'), !stripeOnly);
      const pins: Record<string, string> = { eps: '1357', 'visa-debit': '2468' };
      assert.equal(card.testPin, pins[card.name]);
    }
  });
});

describe('a card file is refused', () => {
  const changes: Record<string, object> = {
    'for a card number that fails the Luhn check': { pan: '4761739001010118' },
    'for a card number with a blank': { pan: '4761 7390 0101 0119' },
    'for a thirteenth month': { expiry: '3113' },
    'for an unknown brand': { brand: 'DINERS' },
    'for lower-case hex': { aid: 'a0000000031010' },
    'for half a byte': { aip: '200' },
    'for a field that nobody knows': { cvv: '123' },
    'for a key of one DES key': { testKeyImkAc: '0123456789ABCDEF' },
    'for a PIN of three digits': { testPin: '135' },
    'for an interface twice': { interfaces: ['chip', 'chip'] },
    'for an interface that there is not': { interfaces: ['chip', 'QR'] },
    'for a chip that nothing reaches': { interfaces: [] },
    'for a chip on a card of a stripe': { interfaces: ['stripe'] },
  };
  for (const [why, change] of Object.entries(changes)) {
    test(why, async () => {
      const card = JSON.parse(await readFile(path.join(fixtures, 'visa.json'), 'utf8')) as object;
      assert.doesNotThrow(() => parseCard('changed', JSON.stringify(card)));
      assert.throws(() => parseCard('changed', JSON.stringify({ ...card, ...change })), /card changed: /);
    });
  }

  test('for a stripe without a service code', async () => {
    const card = JSON.parse(await readFile(path.join(fixtures, 'eps.json'), 'utf8')) as object;
    assert.doesNotThrow(() => parseCard('changed', JSON.stringify(card)));
    const changed = JSON.stringify({ ...card, serviceCode: undefined });
    assert.throws(() => parseCard('changed', changed), /card changed: [^]*serviceCode/);
  });

  test('that is no JSON, by its name', async () => {
    const dir = await mkdtemp(path.join(os.tmpdir(), 'cards-'));
    try {
      await writeFile(path.join(dir, 'torn.json'), '{"brand":');
      await writeFile(path.join(dir, 'README.md'), 'not a card');
      await assert.rejects(loadCards(dir), /card torn is not JSON/);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
