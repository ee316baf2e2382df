import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { unpackWoff } from '../../src/receipt/woff.ts';

/** A WOFF of one table (W3C WOFF 1.0, 3 and 4). */
function woffOf(tag: string, data: Buffer, stored: Buffer): Buffer {
  const header = Buffer.alloc(44 + 20);
  header.write('wOFF', 0, 'latin1');
  header.writeUInt32BE(0x00010000, 4);
  header.writeUInt16BE(1, 12);
  header.write(tag, 44, 'latin1');
  header.writeUInt32BE(64, 48);
  header.writeUInt32BE(stored.length, 52);
  header.writeUInt32BE(data.length, 56);
  header.writeUInt32BE(0x01020304, 60);
  return Buffer.concat([header, stored]);
}

const data = Buffer.from('abcabcabcabcabcabcabcabcabcabcabcabcabcab');
/** Version, one table: its tag, checksum, offset 28 and length 41; then its data up to a multiple of four. */
const font = `000100000001000000000000676c7966010203040000001c00000029${data.toString('hex')}000000`;

test('tables become as they were, compressed or stored', async () => {
  for (const stored of [deflateSync(data), data]) {
    assert.equal((await unpackWoff(woffOf('glyf', data, stored))).toString('hex'), font);
  }
});

test('what is no WOFF, or a damaged one, is refused', async () => {
  await assert.rejects(unpackWoff(Buffer.from('OTTO')), RangeError);
  await assert.rejects(unpackWoff(Buffer.alloc(100)), RangeError);
  const cut = woffOf('glyf', data, data).subarray(0, 64 + 40);
  await assert.rejects(unpackWoff(cut), RangeError);
  const garbled = woffOf('glyf', data, Buffer.alloc(20, 0xff));
  await assert.rejects(unpackWoff(garbled), /incorrect header|RangeError|unknown/);
});
