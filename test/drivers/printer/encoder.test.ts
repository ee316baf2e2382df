import assert from 'node:assert/strict';
import { test } from 'node:test';
import EscPosEncoder from 'esc-pos-encoder';
import { cells, type ReceiptLine, receiptColumns, receiptText } from '../../../src/receipt/line.ts';
import { inCodePage437, receiptJob } from '../../../drivers/printer/escpos/receipt-job.ts';
import { receiptLines } from '../../../src/receipt/lines.ts';
import { visaSale } from '../../receipt/documents.ts';
import { paperOf } from '../../receipt/paper.ts';

/** A job where no font can be loaded: all of it is text in code page 437, and what that lacks is marked. */
const textJob = (lines: readonly ReceiptLine[], columns = 48): Promise<Uint8Array> =>
  receiptJob(lines, columns, { font: () => Promise.reject(new Error('no font on this machine')) }).then(
    ({ bytes }) => bytes,
  );

const job = (shopName: string): Promise<Uint8Array> =>
  textJob(receiptLines(visaSale({ shop: { name: shopName, address: shopName, phone: '', email: '' } }), 48));

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

test('the printer shows the words of the text, no line too wide, one cut at the end', async () => {
  for (const columns of receiptColumns) {
    const lines = receiptLines(visaSale(), columns);
    const paper = paperOf(await textJob(lines, columns));
    for (const line of paper.lines) assert.ok(line.cells <= columns, line.text);
    const expected = words(receiptText(lines, columns).replace('é', '\u0082'));
    // Rules are as wide as the paper in both; sizes change only the spaces between words.
    assert.deepEqual(words(paper.lines.map((line) => line.text).join('\n')), expected);
    assert.equal(paper.cuts, 1);
  }
});

test('amount and outcome are twice as wide, from edge to edge and in the middle', async () => {
  const { lines } = paperOf(await textJob(receiptLines(visaSale(), 48)));
  const total = lines.find((line) => line.text.startsWith('TOTAL'));
  assert.deepEqual(total, { text: 'TOTAL          HKD 30.00', cells: 48, bold: true });
  const approved = lines.find((line) => line.text.trim() === 'APPROVED');
  assert.deepEqual(approved, { text: '        APPROVED', cells: 32, bold: true });
});

test('a character is kept exactly when the encoder has a printable byte for it', () => {
  let kept = 0;
  for (let code = 0xa1; code <= 0x26ff; code++) {
    // Nothing of the code page is between Greek and General Punctuation.
    if (code === 0x400) code = 0x2010;
    const character = String.fromCodePoint(code);
    const bytes = new EscPosEncoder({ columns: 48, newline: '\n' }).codepage('cp437').text(character).encode();
    const byte = bytes.at(-2) ?? 0;
    assert.equal(inCodePage437(character) === character, byte >= 0x80, `${character}: ${byte.toString(16)}`);
    if (byte >= 0x80) kept++;
  }
  assert.equal(kept, 127);
});

test('Chinese is marked, not a question mark, and the columns stay where they are', async () => {
  assert.equal(inCodePage437('總計 OK'), '■■■■ OK');
  const { lines } = paperOf(await job('海港茶餐廳'));
  assert.equal(lines[0]?.text.trim(), '\u00fe'.repeat(10));
  // Centred and double: (24 - 10) / 2 spaces and ten marks, two cells each.
  assert.equal(lines[0]?.cells, 34);
  assert.ok(!lines.some((line) => line.text.includes('?')));
});

test('what has a plain form gets it, cell for cell', () => {
  const forms = {
    '‘a’ “b” – — • −': '\'a\' "b" - - ∙ -',
    'Dvořák & Šíma': 'Dvorák & Síma',
    ＡＢ１: 'A B 1 ',
    'e\u0301': 'é',
    'a\u0323\u0302': 'a',
  };
  for (const [text, expected] of Object.entries(forms)) {
    assert.equal(inCodePage437(text.normalize('NFC')), expected);
  }
  for (const text of ['€', 'Ж', 'ﷺ', '😀', '👍🏽', '🇭🇰', 'ก']) {
    assert.equal(inCodePage437(text), '■'.repeat(cells(text)));
  }
});

test('no text becomes a printer command', async () => {
  // The encoder turns ► ♦ ☺ ¶ into the bytes 10 04 01 14: the request for a status, or to fire the drawer.
  for (const name of ['►♦☺', '►¶☺☺☻', '\u0010\u0004\u0001', '\u001bp\u0000', '⌂\u007f', 'ESC: ←']) {
    const { lines } = paperOf(await job(name));
    assert.ok(lines.every((line) => /^[\x20-\x7e\x80-\xff]*$/.test(line.text)));
  }
  assert.equal(paperOf(await job('►♦☺')).lines[0]?.text.trim(), '\u00fe\u00fe\u00fe');
});

test('a line laid out for wider paper is refused', async () => {
  const line = { kind: 'text', align: 'left', bold: false } as const;
  await assert.rejects(textJob([{ ...line, text: 'x'.repeat(49), size: 'normal' }]), RangeError);
  await assert.rejects(textJob([{ ...line, text: 'x'.repeat(25), size: 'double' }]), RangeError);
  assert.equal(paperOf(await textJob([{ ...line, text: 'x'.repeat(24), size: 'double' }])).lines[0]?.cells, 48);
});
