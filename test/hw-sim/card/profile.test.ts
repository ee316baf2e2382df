import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type ChipCard, hasChip, loadCards } from '../../../hw-sim/card/card.ts';
import { Chip, type ChipEntry, type IssuerDecision } from '../../../hw-sim/card/chip.ts';

const cards = [...(await loadCards(path.join(import.meta.dirname, '../../../fixtures/cards'))).values()].filter(
  hasChip,
);

const terms = {
  amountMinor: 3000n,
  currencyNumeric: '0344',
  countryNumeric: '0344',
  transactionType: '00',
  date: '260825',
  unpredictableNumber: Buffer.from('52BF4585', 'hex'),
  sequenceCounter: 1,
};

const byte = (objects: ReadonlyMap<string, Buffer>, tag: string, index: number): number =>
  objects.get(tag)?.[index - 1] ?? assert.fail(`no byte ${index} in ${tag}`);

/** EMV 4.4 Book 4, annex A1 (9F35): 1 to 3 attended, 4 to 6 unattended; of each three, the first is online only. */
const attended = new Set([1, 2, 3]);

/** Annex C3 of Book 3 (method) against annex A2 of Book 4, table 26 (byte 2 of 9F33). */
const needs: Readonly<Record<number, readonly number[]>> = {
  1: [0x80],
  2: [0x40],
  3: [0x80, 0x20],
  4: [0x10],
  5: [0x10, 0x20],
  30: [0x20],
  31: [0x08],
};
const signs = new Set([3, 5, 30]);
const offlinePin = new Set([1, 3, 4, 5]);

/** Annex C3, table 44: conditions that a purchase without cash fulfils: always, no cash, terminal supports the method. */
const conditions = new Set([0x00, 0x02, 0x03]);

/** Book 4, 6.3.4.5: what the terminal can't know is unknown: a signature, a PIN that its issuer looks at. */
const result = (method: number) => (method === 2 || method === 30 ? 0 : 2);

/** What was said to have been done, annex C5 and C6 of Book 3, is what card (annex C1) and terminal can do. */
function assertDone(objects: ReadonlyMap<string, Buffer>, tvr: number, status?: number): void {
  const aip = byte(objects, '82', 1);
  const capable = (byte(objects, '9F33', 3) & 0xc8) !== 0;
  const authenticable = (aip & 0x61) !== 0;
  const notPerformed = (tvr & 0x80) !== 0;
  assert.equal(notPerformed, !(capable && authenticable), 'offline data authentication, 10.3');
  assert.ok((aip & 0x10) !== 0, 'cardholder verification, 10.5');
  if (status === undefined) return;
  assert.equal((status & 0x80) !== 0, !notPerformed, 'offline data authentication, as byte 1 of the TVR has it');
  assert.ok((status & 0x40) !== 0, 'cardholder verification was performed');
  assert.equal((status & 0x08) !== 0, (aip & 0x08) !== 0, 'terminal risk management, 10.6');
  if ((status & 0x10) !== 0) assert.ok((aip & 0x04) !== 0, 'issuer authentication, 10.9');
}

function assertVerified(objects: ReadonlyMap<string, Buffer>, entry: ChipEntry): void {
  const method = byte(objects, '9F34', 1) & 0x3f;
  const capabilities = byte(objects, '9F33', 2);
  const offered = needs[method] ?? assert.fail(`method ${method} is none`);
  assert.ok(
    offered.every((bit) => (capabilities & bit) !== 0),
    `9F33 offers no method ${method}`,
  );
  assert.ok(!signs.has(method) || attended.has(byte(objects, '9F35', 1) & 0x07), 'nobody takes the signature');
  assert.ok(entry === 'contact' || !offlinePin.has(method), 'a PIN through the air');
  assert.ok(conditions.has(byte(objects, '9F34', 2)));
  assert.equal(byte(objects, '9F34', 3), result(method));
  const captured = (byte(objects, '95', 3) & 0x04) !== 0;
  assert.equal(captured, method === 2, 'byte 3 of the TVR: a PIN goes to the issuer');
  const verification = objects.get('DF52')?.[0];
  const expected = ({ 2: 2, 30: 1 } as Record<number, number>)[method] ?? 0;
  assert.equal(verification, entry === 'contactless' ? expected : undefined);
}

/** Whoever can't decide offline asks: 9F35 of one who is online only goes with no offline data authentication at all. */
function assertTerminal(objects: ReadonlyMap<string, Buffer>): void {
  const [type, security] = [byte(objects, '9F35', 1), byte(objects, '9F33', 3)];
  assert.equal(type & 0xf0, 0x20, 'a merchant’s');
  assert.equal((type & 0x07) % 3 === 1, (security & 0xc8) === 0);
  assert.equal(byte(objects, '9F33', 1), 0x60, 'stripe and chip are read, nobody keys in a number');
}

const decisions: Readonly<Record<string, IssuerDecision>> = {
  approved: { answered: true, responseCode: '00', scripts: [] },
  'with a proof that is none': {
    answered: true,
    responseCode: '00',
    authenticationData: Buffer.from('00112233445566770000', 'hex'),
    scripts: [],
  },
  'asked nobody': { answered: false, responseCode: 'Z3', scripts: [] },
};

function profile(card: ChipCard): void {
  for (const entry of ['contactless', 'contact'] as const) {
    it(`${entry}: how its holder was verified is what the terminal offers`, () => {
      const objects = new Chip(card).transact(terms, entry);
      assertVerified(objects, entry);
      assertTerminal(objects);
      assertDone(objects, byte(objects, '95', 1));
    });
  }

  for (const [name, decision] of Object.entries(decisions)) {
    it(`${name}: what was done is what it supports`, () => {
      const chip = new Chip(card);
      const objects = chip.transact(terms, 'contact');
      const last = chip.conclude(decision);
      assertDone(objects, byte(last, '95', 1), byte(last, '9B', 1));
      const failed = (byte(last, '95', 5) & 0x40) !== 0;
      assert.equal(failed, decision.authenticationData !== undefined);
      if (failed) assert.ok((byte(last, '9B', 1) & 0x10) !== 0, 'what failed was performed');
    });
  }
}

assert.ok(cards.length >= 7);
for (const card of cards) describe(card.name, () => profile(card));
