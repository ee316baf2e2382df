import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { canonicalText, parseCanonical } from '../../../src/pos/ecr/wire/content.ts';
import { decrypt, encrypt, encryptedBytes } from '../../../src/pos/ecr/wire/cipher.ts';
import { readEnvelope } from '../../../src/pos/ecr/wire/envelope.ts';
import { notificationSignature } from '../../../src/pos/ecr/notification.ts';
import { bodyOf, type Content, type Form, md5, page, printed, printedContent, seal, unseal } from './ecr-client.ts';

const vectors = JSON.parse(readFileSync(new URL('../../../fixtures/ecr/vectors.json', import.meta.url), 'utf8'));
const [short, long] = [{ key: 'poid-test-key-16' }, { key: 'poid-test-key-of-32-bytes-length' }];
const options = { callers: [short, long], takesClear: false };
const taking = { ...options, takesClear: true };

const read = (body: string, how = options) => readEnvelope(body, how);
const fieldsOf = (body: string, how = options) => {
  const found = read(body, how);
  return typeof found === 'string' ? found : Object.fromEntries([...found.content].map(([k, v]) => [k, v.text]));
};

test('a body that Python has made by Odoo’s rule is read, and its canonical text is the same', () => {
  for (const { key, content, digest, body } of vectors.vectors) {
    const found = read(body, { callers: [long, { key }], takesClear: false });
    assert.ok(typeof found === 'object');
    assert.deepEqual([found.caller.key, canonicalText(found.content)], [key, content]);
    assert.equal(md5(content + key).toUpperCase(), digest);
  }
});

test('X-QF-SIGN of a notification is that of the published rule', () => {
  const { key, body, signature } = vectors.notification;
  assert.equal(notificationSignature(body, key), signature);
});

test('the canonical text that the page prints is read, and written again as it was', () => {
  const text = printed(page.canonical);
  const content = parseCanonical(text);
  assert.ok(content);
  assert.equal(canonicalText(content), text);
  assert.deepEqual(content.get('amt'), { kind: 'number', text: '100' });
  assert.deepEqual(content.get('channel'), { kind: 'text', text: 'card_payment' });
});

test('each call of the page is read in each form, with keys of 16 and 32 bytes', () => {
  for (const { call } of page.calls) {
    const content = printedContent(call);
    const texts = Object.fromEntries(Object.entries(content).map(([name, value]) => [name, String(value)]));
    for (const form of ['odoo', 'whole', 'content', 'clear'] satisfies Form[]) {
      for (const { key } of [short, long]) {
        assert.deepEqual(fieldsOf(bodyOf(content, key, form), taking), texts, `${call}, ${form}`);
      }
    }
  }
});

test('a request in clear is not taken unless the configuration says so', () => {
  assert.equal(read(bodyOf({ func_type: 5001 }, short.key, 'clear')), 'unreadable');
});

test('what the page prints is refused as it stands: its digests are placeholders', () => {
  for (const each of page.calls) assert.equal(read(printed(each), taking), 'otherKey', each.call);
  const frame = Buffer.from(page.serial.hex, 'hex');
  assert.equal(read(frame.subarray(9, -2).toString(), taking), 'otherKey');
});

test('a key that is not configured and a digest that does not fit get the same answer', () => {
  const content: Content = { func_type: 5001 };
  const other = 'another-test-key';
  for (const form of ['odoo', 'whole', 'content'] satisfies Form[]) {
    assert.equal(read(bodyOf(content, other, form)), 'otherKey', form);
  }
  assert.equal(
    read(JSON.stringify(seal(`{content:{func_type=5001}, digest:'${'0'.repeat(32)}'}`, short.key))),
    'otherKey',
  );
  assert.equal(read(seal('not an envelope', short.key)), 'otherKey');
  const cut =
    encryptedBytes(JSON.parse(bodyOf(content, short.key, 'odoo')))
      ?.subarray(0, 16)
      .toString('base64') ?? '';
  assert.equal(read(cut), 'otherKey');
});

test('a digest is compared without its case', () => {
  const text = '{func_type=5001}';
  for (const digest of [md5(text + short.key), md5(text + short.key).toUpperCase()]) {
    assert.deepEqual(fieldsOf(seal(`{content:${text}, digest:'${digest}'}`, short.key)), { func_type: '5001' });
  }
});

test('a content that could be read in two ways is refused, although it is signed', () => {
  const ambiguous = [
    `{amt=1,channel='octopus',amt=2}`,
    `{channel='octopus',amt=1}`,
    `{amt=1,channel='oct'opus'}`,
    `{amt=1,}`,
    `{amt=1`,
    `{amt=1}}`,
    `{amt=,func_type=1001}`,
    `{amt= 1}`,
    `{a-b=1}`,
  ];
  for (const text of ambiguous) {
    const sealed = seal(`{content:${text}, digest:'${md5(text + short.key)}'}`, short.key);
    assert.ok(
      ['malformed', 'otherKey'].some((fault) => fault === read(sealed)),
      text,
    );
  }
  const smuggled = bodyOf(
    { amt: 1, channel: "octopus',out_trade_no='x", func_type: 1001, out_trade_no: 'y' },
    short.key,
    'odoo',
  );
  assert.equal(read(smuggled), 'malformed');
  const twice = `{"content":{"amt":1,"amt":2},"digest":"${md5('{amt=2}' + short.key)}"}`;
  assert.equal(read(seal(twice, short.key)), 'otherKey');
});

test('Base64 may have line ends, and anything that can’t be encrypted is heard so', () => {
  const body = JSON.parse(bodyOf({ func_type: 5001 }, short.key, 'odoo'));
  const lines = body.replace(/(.{76})/g, '$1\n');
  assert.deepEqual(fieldsOf(lines), { func_type: '5001' });
  assert.deepEqual(fieldsOf(`${JSON.stringify(lines)}\n`), { func_type: '5001' });
  for (const each of ['', '""', 'x', '{}', '[]', '1', 'null', 'AAAA', '{"content":1}', '"\\ud800"', 'é'.repeat(32)]) {
    assert.equal(read(each), 'unreadable', each);
  }
});

test('a field too many, or a value too long, is refused', () => {
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`f${String(at).padStart(2, '0')}`, 1]));
  assert.equal(read(bodyOf(many, short.key, 'odoo')), 'malformed');
  assert.equal(read(bodyOf({ orderId: 'x'.repeat(513) }, short.key, 'odoo')), 'malformed');
});

test('what one side encrypts the other decrypts, with each length of a key', () => {
  for (const key of [short.key, 'poid-test-key-of-24-byte', long.key]) {
    assert.equal(unseal(encrypt('{"respcd":"6000"} 八達通', key), key), '{"respcd":"6000"} 八達通');
    assert.equal(decrypt(encryptedBytes(seal('八達通', key)) ?? new Uint8Array(), key), '八達通');
  }
});
