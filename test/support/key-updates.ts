import { createCipheriv, createHmac } from 'node:crypto';

/** The suite of the connections that these records are made for. */
export const suite = 'TLS_AES_128_GCM_SHA256';

/** Types of a record and of a message (RFC 8446, 5.1, 4). */
const [applicationData, handshake, keyUpdate] = [23, 22, 24];

/** HKDF-Expand-Label without a context, up to one block (RFC 8446, 7.1; RFC 5869, 2.3). */
function expand(secret: Buffer, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.from([0, length, name.length]), name, Buffer.from([0, 1])]);
  return createHmac('sha256', secret).update(info).digest().subarray(0, length);
}

/** The secret in a line of a key log (draft-ietf-tls-keylogfile); undefined if it is of another label. */
export function secretIn(
  line: Buffer,
  label: 'CLIENT_TRAFFIC_SECRET_0' | 'SERVER_TRAFFIC_SECRET_0',
): Buffer | undefined {
  const [name, , secret = ''] = line.toString().trim().split(' ');
  return name === label ? Buffer.from(secret, 'hex') : undefined;
}

/**
 * KeyUpdates that ask for none (RFC 8446, 4.6.3), each in a record of its own, as the first that are sent under this
 * secret. `data`: bytes of data in a record of their own before each.
 */
export function keyUpdates(first: Buffer, count: number, data = 0): Buffer {
  const records: Buffer[] = [];
  let secret = first;
  for (let each = 0; each < count; each++) {
    const seal = sealerOf(secret);
    if (data > 0) records.push(seal(Buffer.alloc(data, 0x20), applicationData));
    records.push(seal(Buffer.from([keyUpdate, 0, 0, 1, 0]), handshake));
    secret = expand(secret, 'traffic upd', 32);
  }
  return Buffer.concat(records);
}

/** Encrypts the records under one secret, in their order (RFC 8446, 5.2, 5.3). */
function sealerOf(secret: Buffer): (content: Buffer, type: number) => Buffer {
  const [key, iv] = [expand(secret, 'key', 16), expand(secret, 'iv', 12)];
  let sequence = 0;
  return (content, type) => {
    const nonce = Buffer.from(iv);
    nonce.writeUInt8(nonce.readUInt8(11) ^ sequence++, 11);
    const header = Buffer.from([applicationData, 3, 3, 0, 0]);
    header.writeUInt16BE(content.length + 1 + 16, 3);
    const cipher = createCipheriv('aes-128-gcm', key, nonce).setAAD(header);
    const sealed = Buffer.concat([cipher.update(content), cipher.update(Buffer.from([type])), cipher.final()]);
    return Buffer.concat([header, sealed, cipher.getAuthTag()]);
  };
}
