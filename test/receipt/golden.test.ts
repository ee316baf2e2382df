import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type JobOptions, receiptJob } from '../../drivers/printer/escpos/receipt-job.ts';
import { type ReceiptLine, receiptText } from '../../src/receipt/line.ts';
import { receiptLines } from '../../src/receipt/lines.ts';
import { settlementLines } from '../../src/receipt/settlement.ts';
import { samples } from './documents.ts';
import { methodSamples, settlements } from './method-documents.ts';

const folder = new URL('../../fixtures/receipts/', import.meta.url);
const fixture = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

function laidOut(name: string, columns: number): ReceiptLine[] {
  const report = settlements[name];
  if (report) return settlementLines(report, columns);
  const document = samples[name] ?? methodSamples[name];
  assert.ok(document, name);
  return receiptLines(document, columns);
}

const names = [samples, methodSamples, settlements].flatMap((each) => Object.keys(each));

for (const columns of [48, 32]) {
  for (const name of names) {
    test(`the text of ${name}, ${columns} columns, as published in the fixtures`, () => {
      assert.equal(receiptText(laidOut(name, columns), columns), fixture(`${name}-${columns}.txt`));
    });
  }
}

test('each text among the fixtures is held to', () => {
  const texts = readdirSync(folder).filter((name) => name.endsWith('.txt'));
  assert.deepEqual(texts.toSorted(), names.flatMap((name) => [`${name}-32.txt`, `${name}-48.txt`]).toSorted());
});

const jobs: Readonly<Record<string, readonly [sample: string, options: JobOptions]>> = {
  'visa-contactless-48': ['visa-contactless', {}],
  'sale-chinese-48-bitmap': ['sale-chinese', {}],
  'sale-chinese-48-big5': ['sale-chinese', { charset: 'big5' }],
  'sale-chinese-48-gb18030': ['sale-chinese', { charset: 'gb18030' }],
  'zh-hant-octopus-48-big5': ['zh-hant-octopus', { charset: 'big5' }],
};

for (const [name, [sample, options]] of Object.entries(jobs)) {
  test(`the bytes of ${name}, as published in the fixtures`, async () => {
    const expected = fixture(`${name}.hex`).trim().split(/\s+/).join('');
    assert.equal(Buffer.from((await receiptJob(laidOut(sample, 48), 48, options)).bytes).toString('hex'), expected);
  });
}
