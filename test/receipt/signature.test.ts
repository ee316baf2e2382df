import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PNG } from 'pngjs';
import { receiptJob } from '../../drivers/printer/escpos/receipt-job.ts';
import { type Signature, signatureGrid } from '../../src/base/domain/signature.ts';
import type { ReceiptDocument } from '../../src/receipt/document.ts';
import type { Dots } from '../../src/receipt/dots.ts';
import { receiptHtml } from '../../src/receipt/html.ts';
import { receiptColumns, receiptText } from '../../src/receipt/line.ts';
import { receiptLines, signatureDots } from '../../src/receipt/lines.ts';
import { receiptPng } from '../../src/receipt/picture.ts';
import { visaCard, visaSale } from './documents.ts';
import { paperOf } from './paper.ts';

/** A slope, a level line to the lower right corner, and a dot. */
const signature: Signature = [
  [10, 10, 60, 60],
  [100, 127, 383, 127],
  [200, 40],
];

function signed(changes: Partial<ReceiptDocument> = {}, strokes: Signature = signature): ReceiptDocument {
  return visaSale({
    copy: 'MERCHANT',
    card: visaCard({ authenticationMethod: 'SIGNATURE', signature: strokes }),
    ...changes,
  });
}

const shown = (document: ReceiptDocument, columns = 48) => receiptText(receiptLines(document, columns), columns);

const inked = (dots: Pick<Dots, 'width' | 'height' | 'ink'>) => {
  let count = 0;
  for (let y = 0; y < dots.height; y++) for (let x = 0; x < dots.width; x++) if (dots.ink(x, y)) count++;
  return count;
};

test('each stroke is a line of three dots, and nothing lies beyond the grid', () => {
  const dots = signatureDots(signature);
  assert.deepEqual([dots.width, dots.height], [signatureGrid.width, signatureGrid.height]);
  for (let step = 10; step <= 60; step++) assert.ok(dots.ink(step, step), `the slope at ${step}`);
  for (let x = 100; x <= 383; x++) assert.ok(dots.ink(x, 127) && dots.ink(x, 126), `the level line at ${x}`);
  assert.ok(dots.ink(199, 39) && dots.ink(201, 41), 'the dot');
  for (const [x, y] of [
    [30, 60],
    [99 - 1, 127],
    [200, 45],
    [70, 70],
  ] as const)
    assert.equal(dots.ink(x, y), false);
  assert.equal(
    inked(
      signatureDots([
        [200, 40],
        [0, 0],
      ]),
    ),
    9 + 4,
    'a dot, and one in the corner',
  );
});

test('text: the merchant’s copy says that it was signed, and has no line to sign on', () => {
  for (const method of ['SIGNATURE', 'OFFLINE_PIN_AND_SIGNATURE'] as const) {
    const card = visaCard({ authenticationMethod: method, signature });
    const text = shown(signed({ card }));
    assert.match(text, /\n +SIGNED ON SCREEN\n/);
    assert.doesNotMatch(text, /___|CUSTOMER SIGNATURE/);
    assert.match(shown(signed({ card, language: 'zh-Hant' })), /\n +已於螢幕簽署\n/);
    assert.doesNotMatch(shown(signed({ card, copy: 'CUSTOMER' })), /SIGN|___/);
  }
});

test('the customer’s copy has no picture of it, nor has a slip of what was not approved', () => {
  for (const document of [signed({ copy: 'CUSTOMER' }), signed({ outcome: 'DECLINED' })]) {
    assert.ok(receiptLines(document, 48).every(({ kind }) => kind !== 'picture'));
  }
});

test('PNG: the same dots in the middle of the paper, whatever its width', async () => {
  const dots = signatureDots(signature);
  for (const columns of receiptColumns) {
    const picture = PNG.sync.read(Buffer.from(await receiptPng(receiptLines(signed(), columns), columns)));
    const left = Math.floor((picture.width - dots.width) / 2);
    const ink = (x: number, y: number) => picture.data[(y * picture.width + x) * 4] === 0;
    const isAt = (top: number) => {
      for (let y = 0; y < dots.height; y++) {
        for (let x = 0; x < dots.width; x++) if (ink(left + x, top + y) !== dots.ink(x, y)) return false;
      }
      return true;
    };
    assert.ok(
      Array.from({ length: picture.height - dots.height }, (_, top) => top).some(isAt),
      `${columns} columns: it is not on the picture`,
    );
  }
});

test('ESC/POS: one image, with all of its dots', async () => {
  for (const columns of [32, 48]) {
    const { bytes } = await receiptJob(receiptLines(signed(), columns), columns, {});
    const { images, lines } = paperOf(bytes);
    const rows = images.flatMap(({ data }) => [...data]);
    const count = rows.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
    assert.ok(count >= inked(signatureDots(signature)), 'a dot may be added, none left out');
    assert.ok(count < inked(signatureDots(signature)) * 1.1);
    assert.ok(lines.some(({ text }) => text.trim() === 'SIGNED ON SCREEN'));
  }
});

test('HTML: one picture, and the words below it', async () => {
  const html = await receiptHtml(signed());
  const [, data = ''] = /<img alt="" width="192" src="data:image\/png;base64,([^"]*)">/.exec(html) ?? [];
  const picture = PNG.sync.read(Buffer.from(data, 'base64'));
  const dots = signatureDots(signature);
  assert.deepEqual([picture.width, picture.height], [dots.width, dots.height]);
  for (let y = 0; y < dots.height; y++) {
    for (let x = 0; x < dots.width; x++) {
      assert.equal(picture.data[(y * picture.width + x) * 4] === 0, dots.ink(x, y), `${x}, ${y}`);
    }
  }
  assert.ok(html.indexOf('SIGNED ON SCREEN') > html.indexOf('<img'));
  assert.ok(!(await receiptHtml(signed({ copy: 'CUSTOMER' }))).includes('<img'));
});
