import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Dots } from '../../src/receipt/dots.ts';
import { type OutlineCommand, outlineDots } from '../../src/receipt/outline.ts';
import { unifont } from '../../src/receipt/unifont.ts';

function rowsOf(dots: Dots | undefined): string {
  assert.ok(dots);
  return Buffer.from(dots.rows).toString('hex');
}

const grid = { width: 4, height: 4, unit: 64, ascent: 3 };

function box(left: number, bottom: number, right: number, top: number): OutlineCommand[] {
  const corners = [
    [left, bottom],
    [left, top],
    [right, top],
    [right, bottom],
  ];
  return [
    ...corners.map((args, at) => ({ command: at === 0 ? 'moveTo' : 'lineTo', args: args.map((each) => each * 64) })),
    { command: 'closePath', args: [] },
  ];
}

test('the dots inside an outline are inked, above and below the base line', () => {
  assert.equal(rowsOf(outlineDots(box(1, -1, 3, 2), grid)), '00606060');
  assert.equal(rowsOf(outlineDots([], grid)), '00000000');
});

test('what runs the other way inside is a hole, what runs the same way is not', () => {
  const outer = box(0, -1, 4, 3);
  const hole = box(1, 0, 3, 2).toReversed();
  const turned = [
    { command: 'moveTo', args: [3 * 64, 0] },
    ...hole.filter(({ command }) => command === 'lineTo').slice(1),
    { command: 'lineTo', args: [64, 0] },
    { command: 'closePath', args: [] },
  ];
  assert.equal(rowsOf(outlineDots([...outer, ...turned], grid)), 'f09090f0');
  assert.equal(rowsOf(outlineDots([...outer, ...box(1, 0, 3, 2)], grid)), 'f0f0f0f0');
});

/** GNU Unifont's own bitmaps, of unifont.hex. */
const published: Readonly<Record<string, string>> = {
  A: '0000000018242442427e424242420000',
  À: '300c000018242442427e424242420000',
};

for (const [character, hex] of Object.entries(published)) {
  test(`${character} is drawn as the font has it`, async () => {
    assert.equal(rowsOf((await unifont()).glyph(character, 1)), hex);
  });
}

test('what the font does not have is told', async () => {
  const font = await unifont();
  assert.equal(font.glyph('\u{20000}', 2), undefined);
  assert.equal(font.glyph('A\u{20000}', 2), undefined);
});
