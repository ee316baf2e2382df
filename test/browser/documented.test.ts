import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PNG } from 'pngjs';
import { scenes } from '../../src/payment/contracts/screen.ts';
import { views } from '../screen/views.ts';
import { documented, screensPage } from './documented.ts';
import { animated, readChunks } from './png-chunks.ts';
import { inPalette } from './png-palette.ts';
import { screensDir } from './pictures.ts';

const animation = 'sale.png';

test('docs/screens has every picture of the list, the animation, and nothing else', () => {
  const listed = [...documented.values()].map(({ file }) => file);
  assert.deepEqual(readdirSync(screensDir).toSorted(), [...listed, animation].toSorted());
  const page = readFileSync(new URL('../screens.md', `file://${screensDir}`), 'utf8');
  assert.equal(page, screensPage(), 'npm run screens');
});

test('each scene of the terminal has a picture', () => {
  const shown = Object.entries(views).filter(([name]) => documented.has(`handheld-en-rich-${name}`));
  assert.deepEqual(new Set(shown.map(([, { scene }]) => scene)), new Set(scenes));
});

function picture(...colours: readonly number[]): Buffer {
  const png = new PNG({ width: colours.length, height: 1 });
  for (const [at, colour] of colours.entries()) png.data.writeUInt32BE(colour, 4 * at);
  return PNG.sync.write(png);
}

test('a picture in a palette shows the same colours', () => {
  const colours = [0xff0000ff, 0x00ff00ff, 0x102030ff, 0xff0000ff];
  assert.deepEqual(PNG.sync.read(inPalette(picture(...colours))).data, PNG.sync.read(picture(...colours)).data);
});

test('an animation is its first picture for who knows no animations, and has its frames in order', () => {
  const [first, second] = [picture(0x112233ff), picture(0x445566ff)];
  const moving = animated([
    { png: first, ms: 500 },
    { png: second, ms: 700 },
  ]);
  assert.deepEqual(PNG.sync.read(moving).data, PNG.sync.read(first).data);
  const types = readChunks(moving).map(({ type }) => type);
  assert.deepEqual(types, ['IHDR', 'acTL', 'fcTL', 'IDAT', 'fcTL', 'fdAT', 'IEND']);
});
