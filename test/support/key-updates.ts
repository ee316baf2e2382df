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
 * KeyUpdates that ask for none (RFC 8446, 4.6.3), each in a record of its own. `sent`: how many records were sent under
 * this secret before.
 */
export function keyUpdates(first: Buffer, count: number, sent = 0): Buffer {
  const records: Buffer[] = [];
  let secret = first;
  for (let each = 0; each < count; each++) {
    records.push(sealed(secret, each === 0 ? sent : 0));
    secret = expand(secret, 'traffic upd', 32);
  }
  return Buffer.concat(records);
}

/** A KeyUpdate in the record of this number under this secret (RFC 8446, 5.2, 5.3). */
function sealed(secret: Buffer, sequence: number): Buffer {
  const content = Buffer.from([keyUpdate, 0, 0, 1, 0, handshake]);
  const [key, nonce] = [expand(secret, 'key', 16), Buffer.from(expand(secret, 'iv', 12))];
  nonce.writeUInt8(nonce.readUInt8(11) ^ sequence, 11);
  const header = Buffer.from([applicationData, 3, 3, 0, content.length + 16]);
  const cipher = createCipheriv('aes-128-gcm', key, nonce).setAAD(header);
  return Buffer.concat([header, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}
