import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { StaticFile } from '../../../src/pos/api/static-file.ts';
import { html } from '../../../src/pos/api/markup.ts';
import { describeSchema } from '../../../src/pos/api/docs-schema.ts';
import { openApi } from '../../../src/pos/api/openapi.ts';
import { served } from './served.ts';

const origin = 'https://pos.example';

describe('/docs', () => {
  test('is one page with every call, every schema and their examples', async (t) => {
    const { call } = await served(t);
    const { status, headers, text } = await call({ method: 'GET', path: '/docs' });
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    for (const [path, methods] of Object.entries(openApi.paths)) {
      for (const [method, { operationId, summary }] of Object.entries(methods)) {
        assert.ok(text.includes(`href="#call-${operationId}">${method.toUpperCase()} ${path}<`), path);
        assert.ok(text.includes(`id="call-${operationId}"`), path);
        assert.ok(text.includes(summary), summary);
      }
    }
    for (const name of Object.keys(openApi.components.schemas)) assert.ok(text.includes(` id="${name}"`), name);
    assert.ok((text.match(/<details>/g) ?? []).length > 70, 'examples');
  });

  test('has each anchor once, and leads nowhere that is not there', async (t) => {
    const { call } = await served(t);
    const { text } = await call({ method: 'GET', path: '/docs' });
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
    assert.deepEqual(ids.toSorted(), [...new Set(ids)].toSorted());
    const links = [...text.matchAll(/ href="([^"]+)"/g)].map(([, link = '']) => link);
    const missing = links.filter((link) => !ids.some((id) => link === `#${id}`));
    assert.deepEqual(missing, ['/openapi.json', '/client.js']);
  });

  test('runs no script and loads nothing: its policy names its one style by its hash', async (t) => {
    const { call } = await served(t);
    const { headers, text } = await call({ method: 'GET', path: '/docs' });
    const styles = [...text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = '']) => style);
    const hashes = styles.map((style) => `'sha256-${hash('sha256', style, 'base64')}'`);
    assert.equal(
      headers['content-security-policy'],
      `default-src 'none'; style-src ${hashes.join(' ')}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    assert.equal(hashes.length, 1);
    const loads = /<(?:script|link|img|iframe|form|object)\b|\bon\w+=|style="|url\(|@import|"javascript:/gi;
    assert.deepEqual(text.match(loads), null);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    assert.equal(headers['referrer-policy'], 'no-referrer');
  });

  for (const path of ['/docs', '/openapi.json']) {
    test(`${path} is asked for again, and answered 304 while it is the same`, async (t) => {
      const { call } = await served(t);
      const { headers } = await call({ method: 'GET', path });
      assert.equal(headers['cache-control'], 'no-cache');
      const { etag } = headers;
      const again = await call({ method: 'GET', path, headers: { 'if-none-match': String(etag) } });
      assert.deepEqual([again.status, again.text, again.headers['etag']], [304, '', etag]);
      assert.equal((await call({ method: 'GET', path, headers: { 'if-none-match': '"other"' } })).status, 200);
    });
  }

  test('is for nobody who may not call: another Host, a foreign page', async (t) => {
    const { call } = await served(t);
    for (const headers of [{ host: 'evil.example' }, { origin }, { 'sec-fetch-site': 'cross-site' }]) {
      for (const path of ['/docs', '/client.js']) {
        const { status, headers: reported } = await call({ method: 'GET', path, headers });
        assert.deepEqual([status, reported['access-control-allow-origin']], [403, undefined], JSON.stringify(headers));
      }
    }
    assert.equal((await call({ path: '/docs', body: '{}' })).status, 405);
  });
});

describe('what is put into the page', () => {
  test('is text, whatever it holds', () => {
    const evil = `<img src=x onerror="alert('1')">&`;
    const safe = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;';
    assert.equal(html`<p>${evil}</p>${[html`<b>${1}</b>`, undefined]}`.text, `<p>${safe}</p><b>1</b>`);
    const { text } = describeSchema({
      properties: { [evil]: { description: evil, anyOf: [{ const: evil }, { enum: [evil] }] } },
    });
    assert.ok(!text.includes('<img'));
  });

  test('of a schema: its fields, those of its objects and lists, and its limits', () => {
    const { text } = describeSchema({
      type: 'object',
      required: ['outer'],
      properties: {
        outer: { type: 'object', properties: { inner: { type: 'string', minLength: 1, maxLength: 8 } } },
        rows: { type: 'array', items: { type: 'object', properties: { sum: { type: 'number', minimum: 0 } } } },
        other: { anyOf: [{ $ref: '#/components/schemas/Batch' }, { enum: ['', null] }] },
        many: { enum: Array.from({ length: 20 }, (_, at) => `w${at}`) },
      },
    });
    for (const name of ['outer', 'outer.inner', 'rows', 'rows[].sum', 'other', 'many'])
      assert.ok(text.includes(`<code>${name}</code>`), name);
    assert.match(text, /1 to 8 characters/);
    assert.match(text, /<a href="#Batch">Batch<\/a><\/td>/);
    assert.match(text, /<summary>one of 20 words/);
    assert.equal((text.match(/<b title/g) ?? []).length, 1);
  });
});

describe('a file', () => {
  const rules = { type: 'text/plain', contentSecurityPolicy: async () => "default-src 'none'" };
  const asked = { headers: {} } as Parameters<StaticFile['answer']>[0];

  test('is made once, with the first request for it', async () => {
    let made = 0;
    const file = new StaticFile(rules, async () => String(++made));
    assert.equal(made, 0);
    const [one, other] = await Promise.all([file.answer(asked), file.answer(asked)]);
    assert.deepEqual([one.status, String(one.body), String(other.body), made], [200, '1', '1', 1]);
  });

  test('that could not be made is tried again', async () => {
    let isThere = false;
    const file = new StaticFile(rules, async () => (isThere ? 'there' : assert.fail('not yet')));
    await assert.rejects(file.answer(asked), /not yet/);
    isThere = true;
    assert.equal(String((await file.answer(asked)).body), 'there');
  });
});
