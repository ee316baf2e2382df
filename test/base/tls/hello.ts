import { randomBytes } from 'node:crypto';
import net from 'node:net';

const list = (bytesOfLength: 1 | 2, ...parts: readonly Uint8Array[]): Buffer => {
  const value = Buffer.concat(parts);
  const length = Buffer.alloc(bytesOfLength);
  length.writeUIntBE(value.length, 0, bytesOfLength);
  return Buffer.concat([length, value]);
};
const word = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
const words = (values: readonly number[]): Buffer => Buffer.concat(values.map(word));
const extension = (type: number, data: Uint8Array): Buffer => Buffer.concat([word(type), list(2, data)]);

const [uncompressed, x25519, secp256r1] = [0, 0x001d, 0x0017];
const versions = { tls12: 0x0303, tls13: 0x0304 } as const;
export type Version = keyof typeof versions;

/** A ClientHello (RFC 8446, 4.1.2; RFC 5246, 7.4.1.2) that offers these suites, whatever a TLS library has of them. */
export function clientHello(version: number, suites: readonly number[], legacy = version): Buffer {
  const signatures = words([0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0603, 0x0806, 0x0601]);
  const extensions = [
    extension(10, list(2, words([x25519, secp256r1]))),
    extension(11, list(1, Buffer.from([uncompressed]))),
    extension(13, list(2, signatures)),
    ...(version === versions.tls13
      ? [
          extension(43, list(1, word(version))),
          extension(51, list(2, Buffer.concat([word(x25519), list(2, randomBytes(32))]))),
        ]
      : []),
  ];
  const body = Buffer.concat([
    word(Math.min(legacy, versions.tls12)),
    randomBytes(32),
    list(1, randomBytes(32)),
    list(2, words(suites)),
    list(1, Buffer.from([0])),
    list(2, ...extensions),
  ]);
  const handshake = Buffer.concat([Buffer.from([1, 0]), list(2, body)]);
  return Buffer.concat([Buffer.from([22, 3, 1]), list(2, handshake)]);
}

/** The suite that the server takes of those; undefined if it takes none. */
function askForSuite(port: number, hello: Buffer): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(hello));
    let heard = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      heard = Buffer.concat([heard, chunk]);
      // A ServerHello: header of the record and of the message, version, random, session, suite.
      const at = 5 + 4 + 2 + 32;
      if (heard[0] === 22 && heard.length > at) {
        const suite = at + 1 + (heard[at] ?? 0);
        if (heard.length < suite + 2) return;
        resolve(heard.readUInt16BE(suite));
        socket.destroy();
      } else if (heard[0] === 21) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(undefined));
  });
}

/** Every code that IANA has given to a suite, and some around them. */
export const everySuite: readonly number[] = [
  [0x0000, 0x00ff],
  [0x1301, 0x1307],
  [0xc001, 0xc0ff],
  [0xcc13, 0xccae],
  [0xd001, 0xd005],
]
  .flatMap(([first = 0, last = 0]) => Array.from({ length: last - first + 1 }, (_, at) => first + at))
  // Signals, which a client sends among the suites (RFC 5746, RFC 7507).
  .filter((each) => each !== 0x00ff && each !== 0x5600);

/** Which of all suites the server on this port accepts: it chooses one, which is then left out, until it refuses. */
export async function listAcceptedSuites(port: number, version: Version): Promise<number[]> {
  const accepted: number[] = [];
  for (;;) {
    const left = everySuite.filter((each) => !accepted.includes(each));
    const suite = await askForSuite(port, clientHello(versions[version], left));
    if (suite === undefined) return accepted.toSorted((a, b) => a - b);
    if (accepted.includes(suite)) throw new Error(`it took ${suite.toString(16)}, which was not offered`);
    accepted.push(suite);
  }
}

/** Whether the server takes an older version of the protocol than TLS 1.2. */
export async function isVersionAccepted(port: number, version: number): Promise<boolean> {
  return (await askForSuite(port, clientHello(version, everySuite))) !== undefined;
}

/** The suites and versions that a ClientHello offers. */
export function parseHello(hello: Buffer): { readonly suites: number[]; readonly versions: number[] } {
  let at = 5 + 4 + 2 + 32;
  at += 1 + (hello[at] ?? 0);
  const wordsOf = (from: number, bytes: number) =>
    Array.from({ length: bytes / 2 }, (_, each) => hello.readUInt16BE(from + 2 * each));
  const bytes = hello.readUInt16BE(at);
  const suites = wordsOf(at + 2, bytes).filter((each) => each !== 0x00ff);
  at += 2 + bytes;
  at += 1 + (hello[at] ?? 0) + 2;
  while (at + 4 <= hello.length) {
    const [type, length] = [hello.readUInt16BE(at), hello.readUInt16BE(at + 2)];
    if (type === 43) return { suites, versions: wordsOf(at + 5, hello[at + 4] ?? 0) };
    at += 4 + length;
  }
  return { suites, versions: [versions.tls12] };
}
