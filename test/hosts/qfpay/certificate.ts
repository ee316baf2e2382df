import { generateKeyPairSync, sign } from 'node:crypto';

/** DER: a tag, the shortest length, the content. */
function der(tag: number, ...content: (Uint8Array | string)[]): Buffer {
  const bytes = Buffer.concat(content.map((each) => (typeof each === 'string' ? Buffer.from(each, 'hex') : each)));
  const { length } = bytes;
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Uint8Array.of(tag, ...head), bytes]);
}

const sequence = (...content: (Uint8Array | string)[]) => der(0x30, ...content);
const ecdsaWithSha256 = sequence('06082A8648CE3D040302');
const commonName = '0603550403';
const subjectAltName = '0603551D11';
const utcTime = (text: string) => der(0x17, Buffer.from(text));

/** A key made for one test and a certificate (X.509 v3, RFC 5280) that it signs for itself, naming one IPv4 address. */
export function certificateFor(address: string): { readonly key: string; readonly cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from('wallet host of a test')))));
  const named = sequence(der(0x87, Uint8Array.from(address.split('.').map(Number))));
  const content = sequence(
    der(0xa0, '020102'),
    '020101',
    ecdsaWithSha256,
    name,
    sequence(utcTime('200101000000Z'), utcTime('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(subjectAltName, der(0x04, named)))),
  );
  const signature = sign('sha256', content, privateKey);
  const base64 = sequence(content, ecdsaWithSha256, der(0x03, '00', signature)).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}
