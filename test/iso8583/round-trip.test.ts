import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { Iso8583Error } from '../../src/iso8583/iso8583-error.ts';
import { type FieldTable, type MessageSpec, pack, unpack } from '../../src/iso8583/message.ts';
import { terminal1987 } from '../../src/iso8583/terminal-1987.ts';

/** Fields of ISO 8583:1987 in the standard's own notation: character set, then size or, after '..', the most. */
const notation = `2 n..19|3 n6|4 n12|5 n12|6 n12|7 n10|8 n8|9 n8|10 n8|11 n6|12 n6|13 n4|14 n4|15 n4|16 n4|17 n4|18 n4
19 n3|20 n3|21 n3|22 n3|23 n3|24 n3|25 n2|26 n2|27 n1|32 n..11|33 n..11|34 ans..28|35 z..37|36 ans..104|37 ans12|38 ans6
39 an2|40 an3|41 ans8|42 ans15|43 ans40|44 ans..25|45 ans..76|46 ans..999|47 ans..999|48 ans..999|49 an3|50 an3|51 an3
52 b8|53 n16|54 ans..120|55 b..999|56 ans..999|57 ans..999|58 ans..999|59 ans..999|60 ans..999|61 ans..999|62 ans..999
63 ans..999|64 b8|66 n1|70 n3|90 n42|95 ans42|100 n..11|102 ans..28|103 ans..28|128 b8`;

const formats = notation.split(/[|\n]/).map((line) => {
  const match = /^(\d+) (n|an|ans|z|b)(\.\.)?(\d+)$/.exec(line.trim());
  assert.ok(match, line);
  const [, number = '', set = '', variable, size = ''] = match;
  return { number: Number(number), set, variable: variable !== undefined, size: Number(size) };
});

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
    if (random(3) === 0) continue;
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
