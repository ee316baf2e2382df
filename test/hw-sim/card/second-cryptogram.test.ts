import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type ChipCard, hasChip, loadCards } from '../../../hw-sim/card/card.ts';
import { Chip, type IssuerDecision, type TransactionTerms } from '../../../hw-sim/card/chip.ts';

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

/**
 * What each issuer proves itself with (91) and what its card then gives: computed with Python's cryptography package from
 * the published algorithms, for the terms above. `unproven`: the AAC of a card that does not believe its issuer.
 */
const seconds: Readonly<Record<string, Record<'approved' | 'declined' | 'tc' | 'aac' | 'unproven', string>>> = {
  amex: {
    approved: '2DB4030A99C198413030',
    declined: '3C7BF6D8793004AA3035',
    tc: '94B5720DF72EF6EE',
    aac: 'EE874D91B8062388',
    unproven: 'A57A4BF0A6A230D8',
  },
  jcb: {
    approved: '7537AB7FC1B4F9093030',
    declined: 'EB25B48748A9F9523035',
    tc: 'AF42CE8118709E55',
    aac: '7604769DC7AFC70A',
    unproven: '2FF3A817560A3F13',
  },
  mastercard: {
    approved: '50E0099C00830000',
    declined: '80C2997600000000',
    tc: '8AA44089798F0B8F',
    aac: 'ECC719789DF33CB4',
    unproven: '30AEAC9976C8EFAE',
  },
  'mastercard-pin': {
    approved: '496705C900830000',
    declined: '82A54CAF00000000',
    tc: '10E492A6D43986CA',
    aac: 'D7CA3CF1D799536F',
    unproven: 'A2A627EF3AE4B2D5',
  },
  unionpay: {
    approved: '199D713A00830000',
    declined: '02A20A8F00000000',
    tc: 'F8919391AA98E84D',
    aac: 'F63E991D9335D6D1',
    unproven: 'B83CA3C43426300A',
  },
  visa: {
    approved: '1550553300830000',
    declined: '6BFFCEAE00000000',
    tc: 'B815E724197DB1CE',
    aac: '272CC35CDF8AD7E6',
    unproven: 'B7B2A34E8E95A5FF',
  },
  'visa-debit': {
    approved: '2F81B60B00830000',
    declined: '105F36AE00000000',
    tc: 'C4AD10B91D2F9730',
    aac: 'D06D2975F89808DB',
    unproven: '6120D1B618376338',
  },
};

describe('a contact transaction', () => {
  test('differs from a contactless one in its entry mode, and has no word of a contactless kernel', () => {
    const contactless = new Chip(card('visa')).transact(terms);
    const contact = new Chip(card('visa')).transact(terms, 'contact');
    const different = [...contactless.keys()].filter((tag) => hexOf(contact, tag) !== hexOf(contactless, tag));
    assert.deepEqual(different, ['9F39', 'DF52']);
    assert.equal(contact.has('DF52'), false);
    assert.equal(hexOf(contact, '9F39'), '05');
    assert.equal(contact.size, contactless.size - 1);
  });

  test('there is a second cryptogram for every card', () => {
    assert.deepEqual(Object.keys(seconds).sort(), Object.keys(fixture.arqc).sort());
  });

  for (const [name, { approved, declined, tc, aac, unproven }] of Object.entries(seconds)) {
    // Byte 3: a PIN was entered that goes to the issuer.
    const pin = name === 'visa-debit' ? '04' : '00';
    test(`${name}: a certificate once its issuer has approved`, () => {
      assert.deepEqual(secondGenerateAc(name, decision('00', approved)), ['40', tc, `8000${pin}0000`, '7800']);
    });
    test(`${name}: a refusal once its issuer has declined`, () => {
      assert.deepEqual(secondGenerateAc(name, decision('05', declined)), ['00', aac, `8000${pin}0000`, '7800']);
    });
    test(`${name}: a refusal where anybody else approves, whichever bit is wrong`, () => {
      const proof = Buffer.from(approved, 'hex');
      for (let bit = 0; bit < 8 * proof.length; bit++) {
        const forged = Buffer.from(proof);
        forged[bit >> 3] = (forged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const word = secondGenerateAc(name, decision('00', forged.toString('hex')));
        assert.deepEqual(word, ['00', unproven, `8000${pin}0040`, '7800'], `bit ${bit}`);
      }
    });
    test(`${name}: a refusal where the proof is too short`, () => {
      const word = secondGenerateAc(name, decision('00', approved.slice(0, -2)));
      assert.deepEqual(word, ['00', unproven, `8000${pin}0040`, '7800']);
    });
  }

  test('an issuer may add data of its own, which the proof covers', () => {
    const { tc, unproven } = seconds['visa'] ?? {};
    const proof = '7996D7B5008300001234567890ABCDEF';
    assert.deepEqual(secondGenerateAc('visa', decision('00', proof)), ['40', tc, '8000000000', '7800']);
    const forged = proof.replace(/EF$/, 'EE');
    assert.deepEqual(secondGenerateAc('visa', decision('00', forged)), ['00', unproven, '8000000040', '7800']);
  });

  test('a card whose issuer proves a decline does not take it for an approval', () => {
    const word = secondGenerateAc('amex', decision('00', seconds['amex']?.declined));
    assert.deepEqual(word, ['00', seconds['amex']?.unproven, '8000000040', '7800']);
  });

  for (const code of ['10', '11']) {
    test(`${code} approves as well`, () => assert.equal(secondGenerateAc('visa', decision(code))[0], '40'));
  }
  for (const code of ['01', '05', '51', 'Y3', 'Z3']) {
    test(`${code} does not approve`, () => assert.equal(secondGenerateAc('visa', decision(code))[0], '00'));
  }

  test('without a proof the card believes the terminal, and says so', () => {
    const { tc, aac } = seconds['visa'] ?? {};
    assert.deepEqual(secondGenerateAc('visa', decision('00')), ['40', tc, '8000000000', '6800']);
    assert.deepEqual(secondGenerateAc('visa', decision('05')), ['00', aac, '8000000000', '6800']);
  });

  test('scripts are told', () => {
    const good = Buffer.from('9F18040000000186068418000001AA', 'hex');
    const bad = Buffer.from('9F18040000000186060018000001AA', 'hex');
    for (const [tag, value, tvr] of [
      ['71', good, '8000000000'],
      ['72', good, '8000000000'],
      ['71', bad, '8000000020'],
      ['72', bad, '8000000010'],
      ['71', Buffer.from('9F180400000001', 'hex'), '8000000020'],
      ['72', Buffer.from('86', 'hex'), '8000000010'],
    ] as const) {
      for (const code of ['00', '05']) {
        const word = secondGenerateAc('visa', { ...decision(code), scripts: [{ tag, value }] });
        assert.deepEqual([word[0], word[2], word[3]], [code === '00' ? '40' : '00', tvr, '6C00'], `${tag} ${code}`);
      }
    }
    const { tc, aac } = seconds['visa'] ?? {};
    const word = (tag: string) => secondGenerateAc('visa', { ...decision('00'), scripts: [{ tag, value: bad }] });
    assert.equal(word('72')[1], tc, 'a script after the cryptogram is not in it');
    assert.ok(![tc, aac].includes(word('71')[1]), 'one before it is');
  });

  test('an issuer that was not asked approves nothing', () => {
    assert.equal(secondGenerateAc('visa', { ...decision('00'), answered: false })[0], '00');
  });

  test('a card may refuse what its issuer has approved', () => {
    const { approved, aac } = seconds['visa'] ?? {};
    assert.deepEqual(secondGenerateAc('visa', decision('00', approved), true), ['00', aac, '8000000000', '7800']);
  });

  test('has one end, and only over the contacts', () => {
    const chip = new Chip(card('visa'));
    assert.throws(() => chip.conclude(decision('00')), TypeError);
    chip.transact(terms, 'contact');
    chip.conclude(decision('00'));
    assert.throws(() => chip.conclude(decision('00')), TypeError);
    chip.transact(terms, 'contact');
    chip.transact(terms);
    assert.throws(() => chip.conclude(decision('00')), TypeError);
  });
});

function decision(responseCode: string, authenticationData?: string): IssuerDecision {
  return {
    answered: true,
    responseCode,
    scripts: [],
    ...(authenticationData !== undefined && { authenticationData: Buffer.from(authenticationData, 'hex') }),
  };
}

/** What a chip says last: the kind of its cryptogram, the cryptogram, 95 and 9B. */
function secondGenerateAc(name: string, said: IssuerDecision, refuse = false): (string | undefined)[] {
  const chip = new Chip(card(name));
  chip.transact(terms, 'contact');
  const objects = chip.conclude(said, refuse);
  assert.deepEqual([...objects.keys()], ['9F26', '9F27', '95', '9B']);
  return ['9F27', '9F26', '95', '9B'].map((tag) => hexOf(objects, tag));
}

function card(name: string): ChipCard {
  const found = cards.get(name);
  assert.ok(found && hasChip(found));
  return found;
}

function hexOf(objects: ReadonlyMap<string, Buffer>, tag: string): string | undefined {
  return objects.get(tag)?.toString('hex').toUpperCase();
}
