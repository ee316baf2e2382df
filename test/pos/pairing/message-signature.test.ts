import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentDigest, isSigned, parseSignature, signatureBase } from '../../../src/pos/pairing/message-signature.ts';
import { componentLines } from '../../../src/pos/pairing/signed-call.ts';

/** RFC 9421, B.1.5 (a published test key) and B.2.5. */
const sharedSecret = 'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==';
const call = {
  scheme: 'https',
  method: 'POST',
  target: '/foo?param=Value&Pet=dog',
  headers: { host: 'Example.com', date: 'Tue, 20 Apr 2021 02:07:55 GMT', 'content-type': 'application/json' },
  body: '{"hello": "world"}',
} as const;
const input = 'sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"';
const signature = 'sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:';

test('the signature of RFC 9421, B.2.5, is right, and with any other byte wrong', () => {
  const read = parseSignature(input, signature) ?? assert.fail();
  const base = signatureBase(componentLines(read.components, call) ?? assert.fail(), read.input);
  assert.equal(
    base,
    '"date": Tue, 20 Apr 2021 02:07:55 GMT\n' +
      '"@authority": example.com\n' +
      '"content-type": application/json\n' +
      '"@signature-params": ("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
  );
  const key = Buffer.from(sharedSecret, 'base64');
  assert.equal(isSigned(key, base, read.signature), true);
  for (const at of read.signature.keys()) {
    const other = read.signature.map((byte, index) => (index === at ? byte ^ 1 : byte));
    assert.equal(isSigned(key, base, other), false);
  }
  assert.equal(isSigned(key, base, read.signature.subarray(1)), false);
  assert.equal(isSigned(key.subarray(1), base, read.signature), false);
});

test('the parts of a URI are those of RFC 9421, 2.2', () => {
  const names = ['"@method"', '"@authority"', '"@path"', '"@query"', '"@target-uri"'];
  const values = (target: string, host: string) =>
    componentLines(names, { ...call, target, headers: { host } })?.map(([, value]) => value);
  const uri = 'https://example.com/foo?param=Value&Pet=dog';
  assert.deepEqual(values(call.target, 'EXAMPLE.com:443'), [
    'POST',
    'example.com',
    '/foo',
    '?param=Value&Pet=dog',
    uri,
  ]);
  assert.deepEqual(values('/', '[::1]:8080'), ['POST', '[::1]:8080', '/', '?', 'https://[::1]:8080/']);
  assert.deepEqual(values('/a?b?c', 'x')?.slice(2, 4), ['/a', '?b?c']);
});

test('@scheme is a component, and what docs/pairing.md refuses is none', () => {
  assert.deepEqual(componentLines(['"@scheme"'], call), [['"@scheme"', 'https']]);
  assert.deepEqual(componentLines(['"@scheme"'], { ...call, scheme: 'http' }), [['"@scheme"', 'http']]);
  const refused = [
    '"@request-target"',
    '"@status"',
    '"@query-param";name="param"',
    '"@query-param"',
    '"@signature-params"',
    '"@method";req',
    '"@path";tr',
    '"content-type";sf',
    '"content-type";bs',
    '"date";key="a"',
    '"content-type";req',
    '"@Method"',
    '"Content-Type"',
    '"@unknown"',
    '"x-absent"',
    '"constructor"',
    '""',
  ];
  for (const component of refused) assert.equal(componentLines([component], call), undefined, component);
});

test('a digest is that of RFC 9530, B.1', () => {
  assert.equal(contentDigest('{"hello": "world"}\n'), 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:');
});
