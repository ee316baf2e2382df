import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dots } from '../../../src/receipt/dots.ts';
import { raster } from '../../../drivers/printer/escpos/receipt-job.ts';

function dotsOf(widthBytes: number, ...rows: string[]): Dots {
  const dots = new Dots(widthBytes * 8, rows.length);
  dots.rows.set(Buffer.from(rows.join(''), 'hex'));
  return dots;
}

const hex = (dots: Dots): string => Buffer.from(raster(dots)).toString('hex');

test('GS v 0, bytes across and dots down, low byte first, and the picture', () => {
  assert.equal(hex(dotsOf(2, '8001', 'ff00', '0000')), '1d763000' + '0200' + '0300' + '8001' + 'ff00' + '0000');
});

test('blank paper to the right is not sent, but never nothing at all', () => {
  assert.equal(hex(dotsOf(3, '800000', '004000')), '1d763000' + '0200' + '0200' + '8000' + '0040');
  assert.equal(hex(dotsOf(3, '000000')), '1d763000' + '0100' + '0100' + '00');
});

test('no two bytes of a picture are a real-time command, within a row, across rows and across blocks', () => {
  assert.equal(hex(dotsOf(2, '1004')).slice(16), '1804');
  assert.equal(hex(dotsOf(2, '1005')).slice(16), '1805');
  assert.equal(hex(dotsOf(2, '1014')).slice(16), '1814');
  assert.equal(hex(dotsOf(1, '10', '04')).slice(16), '1804');
  assert.equal(hex(dotsOf(3, '101004')).slice(16), '101804');
  // DLE alone is data like any other.
  assert.equal(hex(dotsOf(2, '1001', '1010')).slice(16), '10011010');
});

test('a high picture goes in blocks, whose heights are no command either', () => {
  const high = new Dots(128, 4 * 0x100 + 20);
  high.fill(3, 0, 1, high.height);
  high.fill(127, 0, 1, high.height);
  const bytes = Buffer.from(raster(high));
  let rows = 0;
  for (let at = 0; at < bytes.length; ) {
    assert.equal(bytes.toString('hex', at, at + 6), '1d7630001000');
    const height = bytes.readUInt16LE(at + 6);
    rows += height;
    at += 8 + 16 * height;
  }
  assert.equal(rows, high.height);
  for (const second of [0x04, 0x05, 0x14]) assert.equal(bytes.indexOf(Buffer.of(0x10, second)), -1);
});
