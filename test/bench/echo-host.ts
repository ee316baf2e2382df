import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import type { KeyAndCertificate } from '../../src/base/tls/certificate.ts';
import { dialects, type HostMessage } from '../../src/hosts/iso8583/dialect.ts';
import { encodeFrame, type Frame, FrameDecoder } from '../../src/codecs/iso8583/frame.ts';
import { pack, unpack } from '../../src/codecs/iso8583/message.ts';
import { tpdu } from '../../src/codecs/iso8583/tpdu.ts';

const { spec } = dialects.EDC;

/** A host without books: it answers whatever it is asked at once, and approves it if nobody says otherwise. */
export class EchoHost {
  /** The last request, as it came: somebody else may ask the same. */
  lastRequest = Buffer.alloc(0);
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;
  readonly #code: (message: HostMessage) => string;
  readonly #identity: KeyAndCertificate | undefined;

  /** `code`: field 39 of the answer to a request. `identity`: key and certificate for TLS; absent: no TLS. */
  constructor(code: (message: HostMessage) => string = () => '00', identity?: KeyAndCertificate) {
    this.#code = code;
    this.#identity = identity;
  }

  get port(): number {
    return this.#port;
  }

  /** At the same port as before. */
  async listen(): Promise<void> {
    const serve = (socket: Socket) => this.#serve(socket);
    const server = this.#identity
      ? createSecureServer({ ...this.#identity, noDelay: true }, serve)
      : createServer({ noDelay: true }, serve);
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = this.#server && once(this.#server, 'close');
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#server = undefined;
  }

  #serve(socket: Socket): void {
    const decoder = new FrameDecoder();
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('data', (chunk) => {
      for (const frame of decoder.push(chunk).frames) {
        this.lastRequest = Buffer.from(encodeFrame(frame));
        socket.write(encodeFrame(answered(frame, this.#code)));
      }
    });
  }
}

function answered(
  { tpdu: [id = 0, to1 = 0, to2 = 0, from1 = 0, from2 = 0], message }: Frame,
  code: (message: HostMessage) => string,
): Frame {
  const request: HostMessage = unpack(spec, message);
  const { mti, fields } = request;
  const answer: HostMessage = {
    // 0200 → 0210, 0220 and 0221 → 0230, 0400 → 0410.
    mti: `${mti.slice(0, 2)}${Number(mti[2]) + 1}0`,
    fields: {
      3: fields[3],
      4: fields[4],
      11: fields[11],
      12: '120000',
      13: '0101',
      24: fields[24],
      37: (fields[11] ?? '').padStart(12, '0'),
      ...(mti === '0200' ? { 38: '123456' } : {}),
      39: code(request),
      41: fields[41],
    },
  };
  return { tpdu: Uint8Array.of(id, from1, from2, to1, to2), message: pack(spec, answer) };
}

/** 0800 of a terminal, as it goes over the line: the least that a host of this dialect answers. */
export function echoRequest(): Buffer {
  const message = pack(spec, { mti: '0800', fields: { 3: '990000', 11: '000001', 24: '003', 41: '12345678' } });
  return Buffer.from(encodeFrame({ tpdu: tpdu('6000030000'), message }));
}
