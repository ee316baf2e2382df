import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandStream } from '../../../hw-sim/printer/command-stream.ts';
import { Interpreter } from '../../../hw-sim/printer/interpreter.ts';
import { Paper } from '../../../hw-sim/printer/paper.ts';
import { doubleByte } from '../../../drivers/printer/escpos/double-byte.ts';
import { type JobOptions, receiptJob as job, sheetsJob } from '../../../drivers/printer/escpos/receipt-job.ts';
import type { ReceiptLine } from '../../../src/receipt/line.ts';
import { receiptLines } from '../../../src/receipt/lines.ts';
import { chineseShop, samples, visaSale } from '../../receipt/documents.ts';
import { type PaperImage, paperOf, type ReadPaper } from '../../receipt/paper.ts';

const text = (words: string, size: 'normal' | 'double' = 'normal'): ReceiptLine => ({
  kind: 'text',
  text: words,
  align: 'left',
  bold: false,
  size,
});

const receiptJob = async (...parameters: Parameters<typeof job>): Promise<Uint8Array> =>
  (await job(...parameters)).bytes;

const noFailure = (error: unknown): void => assert.fail(String(error));
const noFont = () => Promise.reject(new Error('no font on this machine'));

async function printed(words: string, options: JobOptions = {}): Promise<ReadPaper> {
  const { charset } = options;
  const bytes = await receiptJob([text('above'), text(words), text('below')], 48, options);
  return paperOf(bytes, charset === 'bitmap' ? undefined : charset);
}

/** Dots from (x, y) on, `width` wide and 24 high, as characters. */
function cell(image: PaperImage, x: number, width: number): string[] {
  return Array.from({ length: 24 }, (_, y) =>
    Array.from({ length: width }, (__, dx) => {
      const byte = image.data[y * image.widthBytes + ((x + dx) >> 3)] ?? 0;
      return ((byte >> (7 - ((x + dx) & 7))) & 1) === 1 ? '#' : '.';
    }).join(''),
  );
}

test('what code page 437 has is text, and no font is loaded for it', async () => {
  const options = { font: noFont, onFailure: noFailure };
  for (const words of ['plain', 'Café £5', '“quoted” – it’s', '═ ²']) {
    const { lines, images } = await printed(words, options);
    assert.equal(images.length, 0, words);
    assert.ok(lines[1]?.text);
    assert.deepEqual([lines[0]?.text, lines[2]?.text], ['above', 'below']);
  }
  assert.equal(paperOf(await receiptJob(receiptLines(visaSale(), 48), 48, options)).images.length, 0);
});

test('a line with a character beyond code page 437 is drawn in its place, its neighbours are not', async () => {
  for (const words of ['總計', 'Dvořák', '€ 5', 'Ж', '😀', 'ＡＢ']) {
    const { lines, images } = await printed(words);
    assert.deepEqual(
      lines.slice(0, 2).map((line) => line.text),
      ['above', 'below'],
      words,
    );
    assert.deepEqual(
      images.map(({ height, after }) => [height, after]),
      [[30, 1]],
      words,
    );
  }
  const { images } = paperOf(await receiptJob([text('總計', 'double')], 48));
  assert.deepEqual(
    images.map(({ widthBytes, height }) => [widthBytes, height]),
    [[12, 54]],
  );
});

test('a drawn character is its Unifont glyph, half as large again', async () => {
  // Unifont's own 0041:0000000018242442427E424242420000, each dot one and a half.
  const glyph = '0000000018242442427E424242420000';
  const { images } = await printed('AЖ');
  assert.ok(images[0]);
  const drawn = cell(images[0], 0, 12);
  for (let y = 0; y < 16; y++) {
    for (let x = 0; x < 8; x++) {
      const ink = ((Number(`0x${glyph.slice(y * 2, y * 2 + 2)}`) >> (7 - x)) & 1) === 1;
      if (ink) assert.equal(drawn[Math.floor(y * 1.5)]?.[Math.floor(x * 1.5)], '#', `${x} ${y}`);
    }
  }
  // The bar, of one dot in the glyph, is two dots high, and what is above and below it stays open.
  const bar = drawn.flatMap((row, y) => (row.includes('#######') ? [y] : []));
  assert.deepEqual(bar, [13, 14]);
  assert.deepEqual([drawn[12], drawn[15]], ['.##......##.', '.##......##.']);
});

test('what no font has is a hollow box, never a question mark', async () => {
  for (const [words, width] of [
    ['\u{20bb7}', 24],
    ['中\u{1acf}', 24],
    ['\u0378', 12],
  ] as const) {
    const { lines, images } = await printed(words);
    assert.ok(!lines.some((line) => /[?\xfe]/.test(line.text)));
    assert.ok(images[0], words);
    const box = cell(images[0], 0, width);
    const row = (y: number): string => box[y] ?? '';
    assert.match(row(4), /^\.\.#+\.+$/);
    assert.match(row(10), /^\.\.##\.+##\.+$/, words);
    assert.equal(row(4).lastIndexOf('#'), width - 4);
  }
});

test('a variation selector is no character of its own', async () => {
  const drawn = await Promise.all(['\u{908a}', '\u{908a}\u{e0100}', '\u{908a}\ufe00'].map((words) => printed(words)));
  for (const { images } of drawn) assert.deepEqual(images, drawn[0]?.images);
});

test('without a font the receipt is printed, its losses marked and told', async () => {
  const reported: unknown[] = [];
  const { lines, images } = await printed('總計 OK', { font: noFont, onFailure: (error) => reported.push(error) });
  assert.equal(lines[1]?.text, '\xfe\xfe\xfe\xfe OK');
  assert.equal(images.length, 0);
  assert.deepEqual(reported, [new Error('no font on this machine')]);
  assert.equal((await printed('總計', { font: noFont })).lines[2]?.text, 'below');
});

test('a Chinese printer gets its own characters, in their cells, and the mode ends with them', async () => {
  for (const charset of ['big5', 'gb18030'] as const) {
    const options = { charset, font: noFont, onFailure: noFailure };
    const { lines, images } = await printed('總計 Café é總 12號', options);
    assert.equal(lines[1]?.text, '總計 Caf\x82 \x82總 12號');
    assert.equal(lines[1]?.cells, 4 + 1 + 4 + 1 + 3 + 1 + 4);
    assert.equal(images.length, 0);
    const chinese = paperOf(await receiptJob(receiptLines(visaSale({ shop: chineseShop }), 48), 48, options), charset);
    assert.equal(chinese.lines[0]?.text.trim(), '港灣茶餐廳');
    assert.equal(chinese.lines[0]?.cells, 2 * (7 + 10));
  }
});

test('the bytes of Big5 and GB 18030 are those of other programs', () => {
  // Python 3.11's codecs big5hkscs and gb18030.
  const expected = {
    big5: {
      港: 0xb4e4,
      灣: 0xc657,
      餐: 0xc05c,
      總: 0xc160,
      計: 0xad70,
      十: 0xa451,
      卅: 0xa4ca,
      兀: 0xa461,
      裏: 0xf9d8,
    },
    gb18030: { 港: 0xb8db, 灣: 0x9eb3, 餐: 0xb2cd, 總: 0xbf82, 計: 0xd38b, 厅: 0xccfc, 裏: 0xd159 },
  } as const;
  for (const charset of ['big5', 'gb18030'] as const) {
    for (const [character, code] of Object.entries(expected[charset])) {
      assert.equal(doubleByte(character, charset), code, `${character} in ${charset}`);
    }
    for (const none of ['A', '\n', '😀', '\u{20bb7}', '\ufffd', '']) assert.equal(doubleByte(none, charset), undefined);
  }
  // Only with the Hong Kong supplement, which printers seldom have; simplified.
  for (const none of ['邨', '厅']) assert.equal(doubleByte(none, 'big5'), undefined);
});

test('what a Chinese printer lacks is drawn, and what would be wider than its cell', async () => {
  assert.equal((await printed('沙田邨', { charset: 'big5' })).images.length, 1);
  assert.equal((await printed('總計 😀', { charset: 'gb18030' })).images.length, 1);
  // GB 18030 has a Cyrillic letter of two cells; the layout gave it one.
  assert.ok(doubleByte('Ж', 'gb18030'));
  assert.equal((await printed('Ж', { charset: 'gb18030' })).images.length, 1);
});

test('a printer of another make reads the same receipt', async () => {
  const document = samples['sale-chinese'];
  assert.ok(document);
  for (const charset of ['big5', 'gb18030', 'bitmap'] as const) {
    const paper = new Paper();
    const unexpected: string[] = [];
    const interpreter = new Interpreter(
      {
        print: (item) => paper.add(item),
        kickDrawer: () => assert.fail('the drawer was kicked'),
        reportChanges: () => assert.fail('asked for status'),
        unexpected: (bytes, why) => unexpected.push(`${Buffer.from(bytes.subarray(0, 8)).toString('hex')}: ${why}`),
      },
      charset === 'bitmap' ? 'big5' : charset,
    );
    const stream = new CommandStream();
    for (const command of stream.push(await receiptJob(receiptLines(document, 48), 48, { charset }))) {
      interpreter.execute(command);
    }
    assert.deepEqual([unexpected, stream.pending], [[], 0]);
    const images = paper.items.filter(({ kind }) => kind === 'image').length;
    assert.equal(images, charset === 'bitmap' ? 3 : 0);
    if (charset !== 'bitmap')
      assert.match(paper.text(), /港灣茶餐廳\n +香港中環皇后大道中1號地下12號舖\n +電話 2345 6789\n/);
    assert.match(paper.text(), /TOTAL +HKD 30\.00\n/);
  }
});

test('a line laid out for wider paper is refused, drawn or not', async () => {
  await assert.rejects(receiptJob([text('x'.repeat(49))], 48), RangeError);
  await assert.rejects(receiptJob([text('港'.repeat(25))], 48), RangeError);
  await assert.rejects(receiptJob([text('港'.repeat(25))], 48, { charset: 'big5' }), RangeError);
});

test('the paper that a job moves: its lines, the height of what is drawn, and the feed to the cutter', async () => {
  const lines = async (...sheet: ReceiptLine[]): Promise<number> => (await job(sheet, 48)).paperLines;
  const toCutter = await lines();
  assert.equal(toCutter, 4);
  assert.equal(await lines(text('one'), text('two')), toCutter + 2);
  assert.equal(await lines(text('large', 'double')), toCutter + 2);
  // Drawn lines are as high as printed ones, and large ones 54 dots of 30 a line.
  assert.equal(await lines(text('總計')), toCutter + 1);
  assert.equal(await lines(text('總計', 'double')), toCutter + 2);
});

test('the sheets of a receipt follow each other, each with its cut', async () => {
  const one = await job([text('one')], 48);
  const two = await job([text('two')], 48);
  const both = await sheetsJob([[text('one')], [text('two')]], 48);
  assert.deepEqual([...both.bytes], [...one.bytes, ...two.bytes]);
  assert.equal(both.paperLines, one.paperLines + two.paperLines);
});
