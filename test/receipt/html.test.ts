import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { receiptHtml } from '../../src/receipt/html.ts';
import { plainLayout } from '../../src/receipt/layout.ts';
import { receiptLines } from '../../src/receipt/lines.ts';
import { chineseShop, samples, visaSale } from './documents.ts';
import { methodSamples } from './method-documents.ts';

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** What a reader sees: the texts of the page, one after the other. */
function seen(html: string): string[] {
  const body = /<main>([^]*)<\/main>/.exec(html)?.[1] ?? '';
  const texts = body
    .split(/<[^>]*>/)
    .map((text) => text.trim())
    .filter(Boolean);
  return texts.map((text) => text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (each) => entities[each] ?? each));
}

describe('the receipt as a page', () => {
  for (const [name, document] of Object.entries({ ...samples, ...methodSamples })) {
    test(`${name}: all that is on paper, in its order`, async () => {
      const onPaper = receiptLines(document, 32)
        .flatMap((line) => (line.kind === 'pair' ? [line.left, line.right] : line.kind === 'text' ? [line.text] : []))
        .join('')
        .replaceAll(/\s/g, '');
      assert.equal(
        seen(await receiptHtml(document))
          .join('')
          .replaceAll(/\s/g, ''),
        onPaper,
      );
    });
  }

  test('needs nothing from elsewhere, and runs nothing', async () => {
    const html = await receiptHtml(visaSale(), { ...plainLayout, qr: 'https://shop.example/{terminalTransactionId}' });
    assert.match(html, /^<!doctype html>\n<html lang="en">/);
    assert.match(html, /content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"/);
    assert.ok(!/<script|<link|url\(|@import|\son\w+=/i.test(html));
    for (const [, address = ''] of html.matchAll(/\ssrc="([^"]*)"/g)) assert.match(address, /^data:image\/png;base64,/);
    assert.equal([...html.matchAll(/<img/g)].length, 1, 'the QR code');
  });

  test('what others have written stays text', async () => {
    const shop = { ...chineseShop, name: `<img src=x onerror="alert('1')">&amp;` };
    const html = await receiptHtml(visaSale({ shop, pos: { cashierId: '</main><script>' }, language: 'zh-Hant' }));
    assert.match(html, /<html lang="zh-Hant">/);
    assert.ok(!html.includes('<script') && !html.includes('<img'), html);
    assert.ok(seen(html).includes(`<img src=x onerror="alert('1')">&amp;`));
    assert.ok(seen(html).includes('</main><script>'));
  });

  test('the shop is its heading, and pairs are a list', async () => {
    const html = await receiptHtml(visaSale());
    assert.deepEqual(
      [...html.matchAll(/<h1>(.*?)<\/h1>/g)].map(([, name]) => name),
      ['Harbour Café'],
    );
    assert.match(html, /<title>Harbour Café – 2026-08-25<\/title>/);
    assert.match(html, /<dl>\n<div class="double"><dt>[^<]+<\/dt><dd>HKD 30\.00<\/dd><\/div>\n<\/dl>/);
  });

  test('a logo that can’t be read is left out and told', async () => {
    const failures: unknown[] = [];
    const options = { logo: '/nonexistent/logo.png', onFailure: (error: unknown) => failures.push(error) };
    assert.ok(!(await receiptHtml(visaSale(), plainLayout, options)).includes('<img'));
    assert.equal(failures.length, 1);
  });
});
