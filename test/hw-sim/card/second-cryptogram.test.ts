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
    approved: '21A4AE1DFD1EC6B83030',
    declined: '9A67BE7028940F0A3035',
    tc: '48C6E33340DFF050',
    aac: 'B269F738C5BE9985',
    unproven: 'A310FC2A706E7819',
  },
  jcb: {
    approved: '2C8968AB65ACCB993030',
    declined: '33144743BC4D77B63035',
    tc: '18AD2DE5010FF9EE',
    aac: '0AAE3796739029EA',
    unproven: 'FBA4E0BE41821078',
  },
  mastercard: {
    approved: 'A8ACCD3900830000',
    declined: '9C7C882200000000',
    tc: '351FE996ACC41ACB',
    aac: 'EF52CFF48321E957',
    unproven: '0C8545B527219F78',
  },
  'mastercard-pin': {
    approved: 'EE7F785F00830000',
    declined: '3E3D740C00000000',
    tc: 'A58A7B736F26F4FE',
    aac: '05C85DE8320D89DD',
    unproven: '4D8C341E6271B974',
  },
  unionpay: {
    approved: '01A0D29100830000',
    declined: 'A89689F600000000',
    tc: 'EC3B26144D62FAA1',
    aac: '2180AE3E95A78671',
    unproven: '555828909843E7C3',
  },
  visa: {
    approved: 'D73848E300830000',
    declined: '0D19843600000000',
    tc: '7522CAAFA01B003E',
    aac: '7627D2F8859A3E57',
    unproven: '00A7D5A7FB4B9B8E',
  },
  'visa-debit': {
    approved: '34331B2000830000',
    declined: '68EFD92700000000',
    tc: '3946E0D08DA88C8F',
    aac: '5AD4DF2E7E435384',
    unproven: '0B80AD4FDDC07DD5',
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
      assert.deepEqual(lastWord(name, decision('00', approved)), ['40', tc, `0000${pin}0000`, '7800']);
    });
    test(`${name}: a refusal once its issuer has declined`, () => {
      assert.deepEqual(lastWord(name, decision('05', declined)), ['00', aac, `0000${pin}0000`, '7800']);
    });
    test(`${name}: a refusal where anybody else approves, whichever bit is wrong`, () => {
      const proof = Buffer.from(approved, 'hex');
      for (let bit = 0; bit < 8 * proof.length; bit++) {
        const forged = Buffer.from(proof);
        forged[bit >> 3] = (forged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const word = lastWord(name, decision('00', forged.toString('hex')));
        assert.deepEqual(word, ['00', unproven, `0000${pin}0040`, '7800'], `bit ${bit}`);
      }
    });
    test(`${name}: a refusal where the proof is too short`, () => {
      const word = lastWord(name, decision('00', approved.slice(0, -2)));
      assert.deepEqual(word, ['00', unproven, `0000${pin}0040`, '7800']);
    });
  }

  test('an issuer may add data of its own, which the proof covers', () => {
    const { tc, unproven } = seconds['visa'] ?? {};
    const proof = '3D4908F9008300001234567890ABCDEF';
    assert.deepEqual(lastWord('visa', decision('00', proof)), ['40', tc, '0000000000', '7800']);
    const forged = proof.replace(/EF$/, 'EE');
    assert.deepEqual(lastWord('visa', decision('00', forged)), ['00', unproven, '0000000040', '7800']);
  });

  test('a card whose issuer proves a decline does not take it for an approval', () => {
    const word = lastWord('amex', decision('00', seconds['amex']?.declined));
    assert.deepEqual(word, ['00', seconds['amex']?.unproven, '0000000040', '7800']);
  });

  for (const code of ['10', '11']) {
    test(`${code} approves as well`, () => assert.equal(lastWord('visa', decision(code))[0], '40'));
  }
  for (const code of ['01', '05', '51', 'Y3', 'Z3']) {
    test(`${code} does not approve`, () => assert.equal(lastWord('visa', decision(code))[0], '00'));
  }

  test('without a proof the card believes the terminal, and says so', () => {
    const { tc, aac } = seconds['visa'] ?? {};
    assert.deepEqual(lastWord('visa', decision('00')), ['40', tc, '0000000000', '6800']);
    assert.deepEqual(lastWord('visa', decision('05')), ['00', aac, '0000000000', '6800']);
  });

  test('scripts are told', () => {
    const good = Buffer.from('9F18040000000186068418000001AA', 'hex');
    const bad = Buffer.from('9F18040000000186060018000001AA', 'hex');
    for (const [tag, value, tvr] of [
      ['71', good, '0000000000'],
      ['72', good, '0000000000'],
      ['71', bad, '0000000020'],
      ['72', bad, '0000000010'],
      ['71', Buffer.from('9F180400000001', 'hex'), '0000000020'],
      ['72', Buffer.from('86', 'hex'), '0000000010'],
    ] as const) {
      for (const code of ['00', '05']) {
        const word = lastWord('visa', { ...decision(code), scripts: [{ tag, value }] });
        assert.deepEqual([word[0], word[2], word[3]], [code === '00' ? '40' : '00', tvr, '6C00'], `${tag} ${code}`);
      }
    }
    const { tc, aac } = seconds['visa'] ?? {};
    const word = (tag: string) => lastWord('visa', { ...decision('00'), scripts: [{ tag, value: bad }] });
    assert.equal(word('72')[1], tc, 'a script after the cryptogram is not in it');
    assert.ok(![tc, aac].includes(word('71')[1]), 'one before it is');
  });

  test('an issuer that was not asked approves nothing', () => {
    assert.equal(lastWord('visa', { ...decision('00'), answered: false })[0], '00');
  });

  test('a card may refuse what its issuer has approved', () => {
    const { approved, aac } = seconds['visa'] ?? {};
    assert.deepEqual(lastWord('visa', decision('00', approved), true), ['00', aac, '0000000000', '7800']);
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
function lastWord(name: string, said: IssuerDecision, refuse = false): (string | undefined)[] {
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
