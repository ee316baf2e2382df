import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { Iso8583Error } from '../../../src/codecs/iso8583/iso8583-error.ts';
import { type FieldTable, type MessageSpec, pack, unpack } from '../../../src/codecs/iso8583/message.ts';
import { terminal1987 } from '../../../src/codecs/iso8583/fields-1987.ts';
import { formats } from './notation.ts';

const alphabets: Readonly<Record<string, string>> = {
  n: '0123456789',
  z: '0123456789D',
  an: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz ',
  ans: Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join(''),
};

const seed = Number(process.env['SEED'] ?? randomInt(0x7fffffff));

/** mulberry32: 32 bits of state, so that a printed seed replays the run. */
function seeded(start: number): (limit: number) => number {
  let state = start;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const spec: MessageSpec<FieldTable> = terminal1987;

function randomMessage(random: (limit: number) => number) {
  const fields: Record<number, string | Uint8Array> = {};
  for (const { number, set, variable, size } of formats) {
    if (random(3) > 0) continue;
    const units = variable ? random(size + 1) : size;
    const alphabet = alphabets[set];
    fields[number] = alphabet
      ? Array.from({ length: units }, () => alphabet[random(alphabet.length)]).join('')
      : Uint8Array.from({ length: units }, () => random(256));
  }
  return { mti: String(random(10_000)).padStart(4, '0'), fields };
}

test('the notation covers the whole specification', () => {
  assert.deepEqual(
    formats.map(({ number }) => number),
    Object.keys(terminal1987.fields).map(Number),
  );
});

test('what is written reads as it was, for every field and length', (t) => {
  t.diagnostic(`SEED=${seed}`);
  const random = seeded(seed);
  for (let run = 0; run < 200; run++) {
    const message = randomMessage(random);
    assert.deepEqual(unpack(spec, pack(spec, message)), message, `SEED=${seed}, run ${run}`);
  }
});

test('a changed byte is refused, or read as exactly what stands there', (t) => {
  t.diagnostic(`SEED=${seed}`);
  const random = seeded(seed ^ 0x5eed);
  let refused = 0;
  for (let run = 0; run < 100; run++) {
    const packed = pack(spec, randomMessage(random));
    for (let change = 0; change < 10; change++) {
      const changed = Buffer.from(packed);
      changed[random(changed.length)] = random(256);
      try {
        const again = pack(spec, unpack(spec, changed));
        assert.ok(changed.equals(again), `SEED=${seed}, run ${run}: read as something else`);
      } catch (error) {
        if (!(error instanceof Iso8583Error)) throw error;
        refused++;
      }
    }
  }
  assert.ok(refused > 0);
});
