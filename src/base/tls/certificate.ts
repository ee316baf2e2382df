import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { bits, explicit, implicit, integer, octets, oid, sequence, set, time, utf8, yes } from './der.ts';

/** A private key (PKCS #8) and its certificate, as PEM. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly cert: string;
}

/** The subjects of a certificate: DNS names and IP addresses, at least one. */
export type SubjectNames = readonly [string, ...string[]];

const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));

/**
 * Fixed dates: a new terminal may have its clock at 1970, so the certificate depends on no clock. It never expires (RFC
 * 5280, 4.1.2.5): it is trusted by its fingerprint, and renewed by deleting its file.
 */
const validity = sequence(time('20200101000000Z'), time('99991231235959Z'));

/** Generates an EC P-256 key and a self-signed certificate (RFC 5280). */
export function selfSign(names: SubjectNames): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'der' },
  });
  // A common name has at most 64 characters (X.520). It is only informative; the subject names below count.
  const name = sequence(set(sequence(oid('2.5.4.3'), utf8('poid payment terminal'))));
  const serial = randomBytes(16);
  const unsigned = sequence(
    explicit(0, integer(Uint8Array.of(2))),
    integer(serial),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey,
    explicit(
      3,
      sequence(
        // Not a CA: this key can't sign certificates.
        sequence(oid('2.5.29.19'), yes, octets(sequence())),
        sequence(oid('2.5.29.15'), yes, octets(bits(Uint8Array.of(0x80), 7))),
        sequence(oid('2.5.29.37'), octets(sequence(oid('1.3.6.1.5.5.7.3.1')))),
        sequence(oid('2.5.29.17'), octets(sequence(...names.map(subjectName)))),
      ),
    ),
  );
  const certificate = sequence(unsigned, ecdsaWithSha256, bits(sign('sha256', unsigned, privateKey)));
  return { key: privateKey, cert: pem(certificate) };
}

/** GeneralName (RFC 5280, 4.2.1.6): dNSName [2], iPAddress [7]. */
function subjectName(name: string): Buffer {
  if (isIPv4(name)) return implicit(7, Uint8Array.from(name.split('.').map(Number)));
  return isIPv6(name) ? implicit(7, ipv6Bytes(name)) : implicit(2, Buffer.from(name, 'ascii'));
}

function ipv6Bytes(address: string): Uint8Array {
  // A URL normalizes an IPv4 tail to two groups.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const last = groups(tail);
  const first = groups(head);
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return Uint8Array.from(
    [...first, ...zeros, ...last].flatMap((group) => {
      const value = Number.parseInt(group, 16);
      return [value >> 8, value & 0xff];
    }),
  );
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** SHA-256 of the certificate, as `openssl x509 -fingerprint -sha256` writes it. */
export function fingerprint(certificate: Uint8Array): string {
  const hex = createHash('sha256').update(certificate).digest('hex').toUpperCase();
  return (hex.match(/../g) ?? []).join(':');
}
