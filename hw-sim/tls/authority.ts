import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { bitString, element, identifier, list, octetString, oneOf, text, truth, utcTime, whole } from './asn1.ts';

/** A key and its certificate as PEM. */
export interface Issued {
  readonly key: string;
  readonly cert: string;
}

export interface IssueOptions {
  /** The name of the subject; for a host also its DNS name. */
  readonly name: string;
  /** IPv4 addresses of a host. */
  readonly addresses?: readonly string[];
  readonly use: 'host' | 'terminal';
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly keyType?: 'ec' | 'rsa';
}

const dayMs = 86_400_000;
/** The simulator creates its certificates at each start. */
const validDays = 90;

const ecdsaSha256 = list(identifier('1.2.840.10045.4.3.2'));
const extendedUses = { host: '1.3.6.1.5.5.7.3.1', terminal: '1.3.6.1.5.5.7.3.2' } as const;

/**
 * The certificate authority of the simulator's hosts (RFC 5280). It is created at each start, and is useless elsewhere.
 */
export class Authority {
  readonly #key: KeyObject;
  readonly #name: Buffer;
  readonly #now: Date;
  /** Its own certificate, PEM. */
  readonly certificate: string;

  constructor(name: string, now = new Date()) {
    const { publicKey, privateKey } = makeKey('ec');
    this.#key = privateKey;
    this.#name = distinguished(name);
    this.#now = now;
    this.certificate = this.#sign(this.#name, publicKey, {}, [
      extension('2.5.29.19', list(truth), true),
      extension('2.5.29.15', bitString(Buffer.from([0x06]), 1), true),
    ]);
  }

  issue({ name, addresses = [], use, keyType = 'ec', ...times }: IssueOptions): Issued {
    const { publicKey, privateKey } = makeKey(keyType);
    const names = [
      element(0x82, Buffer.from(name, 'ascii')),
      ...addresses.map((each) => element(0x87, Buffer.from(each.split('.').map(Number)))),
    ];
    const cert = this.#sign(distinguished(name), publicKey, times, [
      extension('2.5.29.15', bitString(Buffer.from([0x80]), 7), true),
      extension('2.5.29.37', list(identifier(extendedUses[use]))),
      ...(use === 'host' ? [extension('2.5.29.17', list(...names))] : []),
    ]);
    return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert };
  }

  #sign(
    subject: Buffer,
    key: KeyObject,
    { notBefore, notAfter }: Pick<IssueOptions, 'notBefore' | 'notAfter'>,
    extensions: readonly Buffer[],
  ): string {
    const from = notBefore ?? new Date(this.#now.getTime() - dayMs);
    const to = notAfter ?? new Date(this.#now.getTime() + validDays * dayMs);
    const serial = randomBytes(12);
    // DER requires the shortest form: the first byte must not be zero.
    serial.writeUInt8(0x40 | (serial.readUInt8(0) & 0x3f), 0);
    const content = list(
      element(0xa0, whole(Buffer.from([2]))),
      whole(serial),
      ecdsaSha256,
      this.#name,
      list(utcTime(from), utcTime(to)),
      subject,
      key.export({ type: 'spki', format: 'der' }),
      element(0xa3, list(...extensions)),
    );
    const signature = sign('sha256', content, this.#key);
    return armoured(list(content, ecdsaSha256, bitString(signature)));
  }
}

function makeKey(type: 'ec' | 'rsa'): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return type === 'ec'
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : generateKeyPairSync('rsa', { modulusLength: 2048 });
}

function distinguished(name: string): Buffer {
  return list(oneOf(list(identifier('2.5.4.3'), text(name))));
}

function extension(dotted: string, value: Buffer, critical = false): Buffer {
  return list(identifier(dotted), ...(critical ? [truth] : []), octetString(value));
}

function armoured(certificate: Buffer): string {
  const body = certificate.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
}
