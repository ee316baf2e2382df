import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { decodeMessage } from '../../hw-sim/host/iso8583/message.ts';
import { FrameReader } from '../../hw-sim/host/iso8583/frame.ts';

/** A message from the terminal to a host, with the length of the disk's log when its first byte left. */
export interface Sent {
  readonly acquirer: string;
  readonly stan: number;
  readonly position: number;
}

interface Chunk {
  readonly bytes: Buffer;
  readonly position: number;
}

/** ISO 8583 messages that move money: authorization, sale, advice, reversal. The others have no intent. */
const moving = /^0[124]/;
/** Name of a wallet's order or an Octopus deduction: transaction id and trace number. */
const order = /[0-9A-HJKMNP-TV-Z]{26}-(\d{1,6})(?!\d)/g;

/** A proxy between the terminal and one host that records each chunk before it passes it on. */
export class Tap {
  readonly #acquirer: string;
  readonly #iso8583: boolean;
  readonly #server: Server;
  readonly #position: () => number;
  readonly #sockets = new Set<Socket>();
  readonly #wires: Chunk[][] = [];

  /** `position`: the current length of the log. */
  constructor(acquirer: string, host: NetConnectOpts, iso8583: boolean, position: () => number) {
    this.#acquirer = acquirer;
    this.#iso8583 = iso8583;
    this.#position = position;
    this.#server = createServer((terminal) => this.#join(terminal, connect(host)));
  }

  /** Listens at a free port, or at the path of a socket. */
  async listen(path?: string): Promise<number> {
    this.#server.listen(path === undefined ? { host: '127.0.0.1', port: 0 } : { path });
    await once(this.#server, 'listening');
    return path === undefined ? (this.#server.address() as AddressInfo).port : 0;
  }

  /** As the host reads it. */
  get sent(): Sent[] {
    return this.#wires.flatMap((wire) => [...(this.#iso8583 ? this.#messages(wire) : this.#orders(wire))]);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(terminal: Socket, host: Socket): void {
    const wire: Chunk[] = [];
    this.#wires.push(wire);
    terminal.on('data', (bytes: Buffer) => wire.push({ bytes, position: this.#position() }));
    for (const [from, to] of [
      [terminal, host],
      [host, terminal],
    ] as const) {
      this.#sockets.add(from);
      from.pipe(to);
      // A side that disconnects ends the other.
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroySoon();
      });
    }
  }

  *#messages(wire: readonly Chunk[]): Generator<Sent> {
    const reader = new FrameReader();
    let begun = 0;
    for (const { bytes, position } of wire) {
      if (reader.held.length === 0) begun = position;
      for (const frame of reader.push(bytes)) {
        const { mti, fields } = decodeMessage(frame.message);
        if (moving.test(mti)) yield { acquirer: this.#acquirer, stan: Number(fields.get(11)), position: begun };
        begun = position;
      }
    }
  }

  *#orders(wire: readonly Chunk[]): Generator<Sent> {
    const text = wire.map(({ bytes }) => bytes.toString('latin1')).join('');
    for (const match of text.matchAll(order)) {
      let end = 0;
      const chunk = wire.find(({ bytes }) => (end += bytes.length) > match.index);
      if (chunk) yield { acquirer: this.#acquirer, stan: Number(match[1]), position: chunk.position };
    }
  }
}
