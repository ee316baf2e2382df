import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PNG } from 'pngjs';
import { glyph } from '../../../hw-sim/printer/glyphs.ts';
import { Wire } from './wire.ts';

/** Ink in a rectangle of the picture, in dots; every dot must be black or white. */
function ink(png: PNG, left: number, top: number, width: number, height: number): number {
  let count = 0;
  for (let y = top; y < top + height; y++) {
    for (let x = left; x < left + width; x++) {
      const value = png.data[(y * png.width + x) * 4];
      assert.ok(value === 0 || value === 255);
      if (value === 0) count++;
    }
  }
  return count;
}

function picture(wire: Wire): PNG {
  return PNG.sync.read(wire.printer.png());
}

const margin = 24;

describe('the picture of the paper', () => {
  it('is 576 dots wide, also when nothing was printed', () => {
    const png = picture(new Wire());
    assert.equal(png.width, 576);
    assert.equal(ink(png, 0, 0, 576, png.height), 0);
  });

  it('has ink where the text is, and nowhere else', () => {
    const wire = new Wire();
    wire.send('1b6102 48 0a');
    const png = picture(wire);
    assert.equal(png.height, 2 * margin + 30);
    const cell = ink(png, 564, margin, 12, 24);
    // 9 dots of each upright and 3 between them, each drawn as 2 × 2.
    assert.equal(cell, 21 * 4);
    assert.equal(ink(png, 0, 0, 576, png.height), cell);
  });

  it('draws double size four times as large, bold thicker, inverse white on black', () => {
    const inkOf = (hex: string): number => {
      const wire = new Wire();
      wire.send(hex);
      const png = picture(wire);
      return ink(png, 0, 0, 576, png.height);
    };
    const plain = inkOf('48 0a');
    assert.equal(inkOf('1d2111 48 0a'), 4 * plain);
    assert.ok(inkOf('1b4501 48 0a') > plain);
    assert.equal(inkOf('1d4201 48 0a'), 12 * 24 - plain);
    assert.equal(inkOf('1b2d01 20 0a'), 12 * 2);
  });

  it('draws a raster image as it is', () => {
    const wire = new Wire();
    wire.send('1d7630 00 0100 0200 80 01');
    const png = picture(wire);
    assert.equal(ink(png, 0, margin, 1, 1), 1);
    assert.equal(ink(png, 7, margin + 1, 1, 1), 1);
    assert.equal(ink(png, 0, 0, 576, png.height), 2);
  });

  it('cuts what is wider than the paper', () => {
    const wire = new Wire();
    wire.send(`1d7630 00 4900 0100 ${'ff'.repeat(0x49)}`);
    const png = picture(wire);
    assert.equal(ink(png, 0, 0, 576, png.height), 576);
  });

  it('keeps the newest paper of a long soak', () => {
    const wire = new Wire();
    for (let i = 0; i < 6000; i++) wire.print(`${i}\n`);
    const lines = wire.printer.paper.text().split('\n');
    assert.ok(lines.length < 6000);
    assert.equal(lines.at(-2), '5999');
    assert.ok(picture(wire).height <= 8000);
  });
});

describe('glyphs', () => {
  it('has an own one for every printable ASCII character', () => {
    const seen = new Map<string, string>();
    for (let code = 0x20; code < 0x7f; code++) {
      const character = String.fromCharCode(code);
      const dots = [...glyph(character, 'A').dots].join('');
      assert.equal(seen.get(dots), undefined, `${character} looks like ${seen.get(dots)}`);
      seen.set(dots, character);
    }
  });

  it('draws a hollow box for what it does not have, two columns wide for Chinese', () => {
    assert.deepEqual(glyph('\ufffd', 'A').dots, glyph('\ufffd', 'A').dots);
    const box = glyph('ж', 'A');
    assert.ok(box.ink(1, 3) && box.ink(10, 3) && !box.ink(6, 12));
    assert.equal(glyph('總', 'A').width, 24);
  });
});
