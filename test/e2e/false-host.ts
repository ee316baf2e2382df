import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { framed, FrameReader, swapped } from '../../hw-sim/host/iso8583/frame.ts';
import { decodeMessage, encodeMessage } from '../../hw-sim/host/iso8583/message.ts';

/** An attacker on the line to a card host, who approves every sale. The host receives none. */
export interface FalseHost {
  readonly port: number;
  /** The types of the messages that the attacker could read. */
  readonly read: readonly string[];
  readonly connections: number;
  close(): Promise<void>;
}

/** `identity`: the attacker's key and certificate for TLS; absent: no TLS. */
export async function openFalseHost(identity?: { readonly key: string; readonly cert: string }): Promise<FalseHost> {
  const read: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const serve = (socket: Socket) => {
    const frames = new FrameReader();
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const { tpdu, message } of frames.push(chunk)) {
          const { mti, fields } = decodeMessage(message);
          read.push(mti);
          socket.write(framed(swapped(tpdu), encodeMessage(approve(mti, fields))));
        }
      } catch {
        socket.destroy();
      }
    });
  };
  const server = identity ? createSecureServer({ ...identity, minVersion: 'TLSv1.2' }, serve) : createServer(serve);
  server.on('tlsClientError', () => undefined);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    read,
    get connections() {
      return connections;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

type Fields = ReturnType<typeof decodeMessage>['fields'];

/** The answer of a host that approves. */
function approve(mti: string, fields: Fields): ReturnType<typeof decodeMessage> {
  const echoed = [3, 4, 11, 24, 41].flatMap((field) => {
    const value = fields.get(field);
    return value === undefined ? [] : [[field, value] as const];
  });
  const own = [
    [12, '120000'],
    [13, '1128'],
    [37, 'EVIL00000001'],
    [38, 'EVIL01'],
    [39, '00'],
  ] as const;
  const answered = String(Number(mti) + 10).padStart(4, '0');
  return { mti: answered, fields: new Map([...echoed, ...own]) };
}
