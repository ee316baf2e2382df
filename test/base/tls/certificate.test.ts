import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import { fingerprint, selfSign, type SubjectNames } from '../../../src/base/tls/certificate.ts';
import { der, integer, oid } from '../../../src/base/tls/der.ts';
import { needs } from '../../support/needs.ts';

const names: SubjectNames = ['localhost', 'till-7.shop.lan', '192.168.1.5', '::1', 'fd12:3456::a:1', '::ffff:10.0.0.1'];

/** What OpenSSL reads: it shares no line with what was written. */
function openssl(input: string, ...parameters: string[]): string {
  return execFileSync('openssl', parameters, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
}

describe('a certificate of its own', () => {
  const { key, cert } = selfSign(names);

  test('says to OpenSSL what it should', needs('openssl'), () => {
    const text = openssl(cert, 'x509', '-noout', '-text', '-nameopt', 'oneline').replaceAll(/\s+/g, ' ');
    for (const said of [
      'Version: 3 (0x2)',
      'Signature Algorithm: ecdsa-with-SHA256',
      'Issuer: CN = poid payment terminal',
      'Subject: CN = poid payment terminal',
      'Not Before: Jan 1 00:00:00 2020 GMT Not After : Dec 31 23:59:59 9999 GMT',
      'ASN1 OID: prime256v1',
      'X509v3 Basic Constraints: critical CA:FALSE',
      'X509v3 Key Usage: critical Digital Signature',
      'X509v3 Extended Key Usage: TLS Web Server Authentication',
      'X509v3 Subject Alternative Name: DNS:localhost, DNS:till-7.shop.lan, IP Address:192.168.1.5, ' +
        'IP Address:0:0:0:0:0:0:0:1, IP Address:FD12:3456:0:0:0:0:A:1, IP Address:0:0:0:0:0:FFFF:A00:1',
    ]) {
      assert.ok(text.includes(said), `${said} in ${text}`);
    }
  });

  test('is DER to the last byte, and signed by its own key', needs('openssl'), () => {
    assert.match(openssl(cert, 'asn1parse'), /d=0/);
    const { raw, publicKey } = new X509Certificate(cert);
    const again = execFileSync('openssl', ['x509', '-outform', 'DER'], { input: cert });
    assert.deepEqual(again, raw);
    assert.ok(new X509Certificate(cert).verify(publicKey));
    assert.ok(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)));
  });

  test('has the fingerprint that OpenSSL finds', needs('openssl'), () => {
    const reported = openssl(cert, 'x509', '-noout', '-fingerprint', '-sha256').trim().split('=')[1];
    assert.equal(fingerprint(new X509Certificate(cert).raw), reported);
  });

  test('has never the same key or number twice', () => {
    const other = selfSign(names);
    assert.notEqual(other.key, key);
    assert.notEqual(new X509Certificate(other.cert).serialNumber, new X509Certificate(cert).serialNumber);
  });

  test('can be read with any number of names', () => {
    for (const count of [1, 5, 20, 400]) {
      const many = Array.from({ length: count }, (_, at) => `till-${at}.shop.lan`) as [string, ...string[]];
      const made = new X509Certificate(selfSign(many).cert);
      assert.equal(made.subjectAltName?.split(', ').length, count);
    }
  });
});

// X.690, 8.3 and 8.19.5: {2 100 3} is 813403.
test('numbers and object identifiers as X.690 writes them', () => {
  for (const [value, hex] of [
    [[0], '020100'],
    [[0, 0, 1], '020101'],
    [[0x7f], '02017f'],
    [[0x80], '02020080'],
    [[0, 0x80, 0], '0203008000'],
  ] as const) {
    assert.equal(integer(Uint8Array.from(value)).toString('hex'), hex);
  }
  assert.equal(oid('2.100.3').toString('hex'), '0603813403');
});

// X.690, 8.1.3: one byte up to 127, then their number first.
test('lengths as X.690 writes them', () => {
  for (const [bytes, hex] of [
    [127, '047f'],
    [128, '048180'],
    [255, '0481ff'],
    [256, '04820100'],
    [65_535, '0482ffff'],
  ] as const) {
    assert.equal(der(0x04, Buffer.alloc(bytes, 0xaa)).toString('hex').split('aa')[0], hex);
  }
  assert.throws(() => der(0x04, Buffer.alloc(65_536)), RangeError);
});
