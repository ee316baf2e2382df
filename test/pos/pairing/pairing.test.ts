import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { PairedKeys } from '../../../src/pos/pairing/paired-keys.ts';
import { type Begun, Pairing } from '../../../src/pos/pairing/pairing.ts';
import {
  commitment,
  comparisonCode,
  pairedProof,
  rawPublicKey,
  sharedKey,
} from '../../../src/pos/pairing/transcript.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** Of the POS. */
const address = '192.0.2.1';

async function staged(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-pairing-'));
  t.after(() => rm(dir, { recursive: true }));
  const keys = new PairedKeys(dir);
  const clock = new ManualClock();
  const changes: string[] = [];
  const pairing: Pairing = new Pairing({
    keys,
    clock,
    random: { bytes: (length) => randomBytes(length) },
    onChange: () => changes.push(pairing.view?.stage ?? 'closed'),
  });
  return { pairing, keys, clock, changes };
}

/** A POS that does its part. */
class Pos {
  readonly posId: string;
  readonly #keys = generateKeyPairSync('x25519');
  readonly posPublicKey = rawPublicKey(this.#keys.publicKey);
  readonly posNonce = randomBytes(32).toString('hex');

  constructor(posId = 'POS-1') {
    this.posId = posId;
  }

  get commitment(): string {
    return commitment(this);
  }

  code(begun: Begun): string {
    return comparisonCode({ ...this.#said(begun) });
  }

  key(begun: Begun): Buffer {
    return sharedKey(this.#keys.privateKey, begun.terminalPublicKey, this.#said(begun));
  }

  reveals({ pairingId }: Begun) {
    return { pairingId, posPublicKey: this.posPublicKey, posNonce: this.posNonce };
  }

  #said({ terminalPublicKey, terminalNonce }: Begun) {
    const { posId, posPublicKey, posNonce } = this;
    return { posId, posPublicKey, posNonce, terminalPublicKey, terminalNonce };
  }
}

function begun(pairing: Pairing, pos: Pos): Begun {
  const answer = pairing.begin(pos.posId, pos.commitment, address);
  return typeof answer === 'string' ? assert.fail(answer) : answer;
}

function shownCode({ view }: Pairing): string {
  return view?.stage === 'compare' ? view.code : assert.fail(`it shows ${view?.stage}`);
}

describe('a pairing', () => {
  test('ends with the same key on both sides, and the code that both see', async (t) => {
    const { pairing, keys, changes } = await staged(t);
    const pos = new Pos();
    pairing.open();
    const half = begun(pairing, pos);
    const answer = pairing.reveal(pos.reveals(half));
    const code = shownCode(pairing);
    assert.equal(code, pos.code(half));
    assert.ok(pairing.decide(true, code));
    const paired = await answer;
    const [stored] = await keys.all();
    assert.equal(stored?.posId, 'POS-1');
    assert.equal(stored?.key, pos.key(half).toString('hex'));
    assert.deepEqual(paired, { keyId: stored?.keyId, proof: pairedProof(pos.key(half), stored?.keyId ?? '') });
    assert.deepEqual(changes, ['open', 'compare', 'closed']);
    assert.equal(pairing.begin('POS-1', pos.commitment, address), 'closed');
  });

  test('shows a name that only looks like another as what it is', async (t) => {
    for (const [posId, shown] of [
      ['POS-1', 'POS-1'],
      ['Till 1', 'Till 1'],
      ['\u0420OS-1', '\\u{420}OS-1'],
      ['POS-1\u200b', 'POS-1\\u{200B}'],
      ['POS-1 ', 'POS-1\\u{20}'],
      ['POS  1', 'POS\\u{20} 1'],
      ['\u{1d5e3}OS-1', '\\u{1D5E3}OS-1'],
      ['\\u{420}OS-1', '\\u{5C}u{420}OS-1'],
    ] as const) {
      const { pairing } = await staged(t);
      const pos = new Pos(posId);
      pairing.open();
      void pairing.reveal(pos.reveals(begun(pairing, pos)));
      const { view } = pairing;
      assert.equal(view?.stage === 'compare' && view.posId, shown);
    }
  });

  test('is had with the operator’s leave alone, and by one at a time', async (t) => {
    const { pairing } = await staged(t);
    assert.equal(pairing.begin('POS-1', new Pos().commitment, address), 'closed');
    pairing.open();
    begun(pairing, new Pos());
    assert.equal(pairing.begin('POS-2', new Pos('POS-2').commitment, '192.0.2.2'), 'busy');
  });

  test('is over when its time is, and whoever waits hears so', async (t) => {
    const { pairing, clock, keys } = await staged(t);
    const pos = new Pos();
    pairing.open();
    const answer = pairing.reveal(pos.reveals(begun(pairing, pos)));
    const code = shownCode(pairing);
    await clock.advance(179_999);
    assert.equal(pairing.view?.stage, 'compare');
    await clock.advance(1);
    assert.equal(await answer, 'refused');
    assert.equal(pairing.view, undefined);
    assert.equal(pairing.decide(true, code), false);
    assert.deepEqual(await keys.all(), []);
  });

  for (const [what, changed] of [
    ['another key', () => ({ posPublicKey: new Pos().posPublicKey })],
    ['another nonce', () => ({ posNonce: randomBytes(32).toString('hex') })],
  ] as const) {
    test(`who reveals ${what} than he was bound to is refused, and shows no code`, async (t) => {
      const { pairing, keys } = await staged(t);
      const pos = new Pos();
      pairing.open();
      const half = begun(pairing, pos);
      assert.equal(await pairing.reveal({ ...pos.reveals(half), ...changed() }), 'changed');
      assert.equal(pairing.view?.stage, 'open');
      assert.equal(await pairing.reveal(pos.reveals(half)), 'unknown');
      assert.deepEqual(await keys.all(), []);
    });
  }

  test('who reveals under another name is refused: the name is part of what he was bound to', async (t) => {
    const { pairing } = await staged(t);
    const pos = new Pos('POS-1');
    pairing.open();
    const half = pairing.begin('POS-2', pos.commitment, address);
    assert.ok(typeof half !== 'string');
    assert.equal(await pairing.reveal(pos.reveals(half)), 'changed');
  });

  // RFC 7748, 6.1: with these the shared secret is nothing, whoever has the other key.
  for (const posPublicKey of ['00'.repeat(32), `01${'00'.repeat(31)}`]) {
    test(`the key ${posPublicKey.slice(0, 4)}… of low order is refused`, async (t) => {
      const { pairing } = await staged(t);
      const posNonce = '11'.repeat(32);
      pairing.open();
      const half = pairing.begin('POS-1', commitment({ posId: 'POS-1', posPublicKey, posNonce }), address);
      assert.ok(typeof half !== 'string');
      assert.equal(await pairing.reveal({ pairingId: half.pairingId, posPublicKey, posNonce }), 'changed');
    });
  }

  test('a code is shown once: a second reveal is none', async (t) => {
    const { pairing } = await staged(t);
    const pos = new Pos();
    pairing.open();
    const half = begun(pairing, pos);
    const first = pairing.reveal(pos.reveals(half));
    assert.equal(await pairing.reveal(pos.reveals(half)), 'unknown');
    assert.ok(pairing.decide(false, shownCode(pairing)));
    assert.equal(await first, 'refused');
  });

  test('that is begun and not gone on with holds the place for ten seconds; another comes then, and the screen says so', async (t) => {
    const { pairing, clock, keys } = await staged(t);
    pairing.open();
    const left = begun(pairing, new Pos('EVE'));
    const pos = new Pos();
    const come = () => pairing.begin(pos.posId, pos.commitment, '192.0.2.2');
    assert.equal(come(), 'busy');
    assert.deepEqual(pairing.view, { stage: 'open', others: 1 });
    await clock.advance(9_999);
    assert.equal(come(), 'busy');
    await clock.advance(1);
    assert.deepEqual(pairing.view, { stage: 'open', others: 3 });
    const half = come();
    assert.ok(typeof half !== 'string');
    const answer = pairing.reveal(pos.reveals(half));
    // Who was late stays out, and the code stays on show for as long as the operator takes.
    assert.equal(await pairing.reveal(new Pos('EVE').reveals(left)), 'unknown');
    await clock.advance(60_000);
    assert.equal(pairing.view?.others, 3);
    assert.ok(pairing.decide(true, shownCode(pairing)));
    assert.ok(typeof (await answer) !== 'string');
    assert.equal((await keys.all()).length, 1);
  });

  test('is had no second time by an address that did not go on, until the operator opens it anew', async (t) => {
    const { pairing, clock } = await staged(t);
    pairing.open();
    const eve = new Pos('EVE');
    begun(pairing, eve);
    await clock.advance(10_000);
    assert.equal(pairing.begin('EVE', eve.commitment, address), 'again');
    pairing.open();
    assert.deepEqual(pairing.view, { stage: 'open' });
    assert.notEqual(typeof pairing.begin('EVE', eve.commitment, address), 'string');
  });

  test('that reveals another half gets no faster to the next guess, and the leave goes on', async (t) => {
    const { pairing, clock } = await staged(t);
    pairing.open();
    for (let at = 1; at <= 5; at++) {
      const eve = new Pos('EVE');
      const half = pairing.begin('EVE', eve.commitment, `192.0.2.${at}`);
      assert.ok(typeof half !== 'string');
      assert.equal(await pairing.reveal({ ...eve.reveals(half), posNonce: '00'.repeat(32) }), 'changed');
      assert.equal(pairing.begin('EVE', eve.commitment, '192.0.2.99'), 'busy');
      await clock.advance(10_000);
    }
    assert.equal(pairing.view?.stage, 'open');
  });

  test('says of no more than 99 others, however many come', async (t) => {
    const { pairing, changes } = await staged(t);
    pairing.open();
    begun(pairing, new Pos());
    for (let at = 0; at < 500; at++) pairing.begin('EVE', new Pos('EVE').commitment, address);
    assert.equal(pairing.view?.others, 99);
    assert.equal(changes.length, 100);
  });

  test('three tries end the operator’s leave', async (t) => {
    const { pairing } = await staged(t);
    pairing.open();
    for (const left of ['open', 'open', undefined]) {
      const pos = new Pos();
      const answer = pairing.reveal(pos.reveals(begun(pairing, pos)));
      pairing.decide(false, shownCode(pairing));
      assert.equal(await answer, 'refused');
      assert.equal(pairing.view?.stage, left);
    }
  });

  test('a Yes to a code that is no more on the screen pairs nobody', async (t) => {
    const { pairing, keys } = await staged(t);
    const pos = new Pos();
    pairing.open();
    void pairing.reveal(pos.reveals(begun(pairing, pos)));
    const other = shownCode(pairing) === '000000' ? '000001' : '000000';
    assert.equal(pairing.decide(true, other), false);
    assert.equal(pairing.view?.stage, 'compare');
    assert.deepEqual(await keys.all(), []);
  });

  test('who sits in the middle makes the two codes differ', async (t) => {
    const { pairing } = await staged(t);
    const [pos, eve] = [new Pos(), new Pos()];
    pairing.open();
    const half = begun(pairing, eve);
    void pairing.reveal(eve.reveals(half));
    // To the POS the one in the middle is the terminal: whatever he passes on, something in it is his own.
    const own = rawPublicKey(createPublicKey(generateKeyPairSync('x25519').privateKey));
    assert.notEqual(pos.code({ ...half, terminalPublicKey: own }), shownCode(pairing));
    assert.notEqual(pos.code(half), shownCode(pairing));
  });
});

test('all that was said is in the code', () => {
  const [one, two, three, four, other] = ['11', '22', '33', '44', '55'].map((byte) => byte.repeat(32)) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const said = { posId: 'A', posPublicKey: one, posNonce: two, terminalPublicKey: three, terminalNonce: four };
  const codes = Object.keys(said).map((field) => comparisonCode({ ...said, [field]: other }));
  assert.equal(new Set([comparisonCode(said), ...codes]).size, 6);
});

describe('the keys', () => {
  test('one POS has one: the last; and one that is revoked is gone', async (t) => {
    const { keys } = await staged(t);
    const one = { posId: 'A', keyId: '1', key: '11'.repeat(32), pairedAt: '' };
    await keys.put(one);
    await keys.put({ ...one, posId: 'B' });
    await keys.put({ ...one, keyId: '2' });
    assert.deepEqual(
      (await keys.all()).map(({ posId, keyId }) => posId + keyId),
      ['B1', 'A2'],
    );
    assert.equal(await keys.remove('A'), true);
    assert.equal(await keys.remove('A'), false);
    assert.equal((await keys.all()).length, 1);
  });

  test('are 64 at most, and a POS that has one may always get a new one', async (t) => {
    const { keys } = await staged(t);
    const one = { keyId: '1', key: '11'.repeat(32), pairedAt: '' };
    for (let at = 0; at < 64; at++) assert.equal(await keys.put({ ...one, posId: `P${at}` }), undefined);
    assert.equal(await keys.put({ ...one, posId: 'P64' }), 'full');
    assert.equal(await keys.put({ ...one, posId: 'P0' }), undefined);
  });
});
