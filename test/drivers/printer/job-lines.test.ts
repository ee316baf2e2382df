import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf } from '../../../drivers/printer/escpos/job-lines.ts';

const bytes = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(' ', ''), 'hex');

test('line feeds move the paper by a line each', () => {
  assert.equal(linesOf(bytes('1b40 41 0a 42 0a 0a 1d5601')), 3);
  assert.equal(linesOf(new Uint8Array()), 0);
});

test('a picture moves it by its height, and its data is no line feed', () => {
  const picture = `1d763000 0200 2c01 ${'0a0a'.repeat(300)}`;
  assert.equal(linesOf(bytes(`${picture} 41 0a`)), 10 + 1);
  // Two of 15 dots are one line together.
  assert.equal(linesOf(bytes(`1d763000 0100 0f00 ${'0a'.repeat(15)}`.repeat(2))), 1);
});

test('a picture without its data is no trouble', () => {
  assert.equal(linesOf(bytes('1d763000 0200 1e00 0a')), 1);
  assert.equal(linesOf(bytes('1d7630')), 0);
});
