import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import * as z from 'zod';
import { readJsonRequest } from '../../../src/pos/api/json-request.ts';
import type { PosAnswer, PosCallName, PosCaller, PosCalls } from '../../../src/pos/contracts/pos-calls.ts';
import type { PosProtocol } from '../../../src/pos/contracts/pos-protocol.ts';

const settings = z.strictObject({
  socket: z.string('socket must be a path').min(1).describe('Unix socket on which it listens'),
  secrets: z.record(z.string(), z.string()).default({}).describe('what identifies a POS, by its posId'),
});

const lineBytesMax = 65_536;

interface Line {
  readonly id: string;
  readonly call: string;
  readonly secret?: string;
  readonly request: unknown;
}

/** A line of JSON for a call on a local socket, and a line for its answer, which names the call that it answers. */
export const lines: PosProtocol<z.infer<typeof settings>> = {
  name: 'lines',
  settings,
  async open({ settings: { socket: path, secrets }, calls, onFailure }) {
    const [connections, underWay] = [new Set<Socket>(), new Set<Promise<void>>()];
    const server = createServer((socket) => {
      connections.add(socket);
      const gone = new AbortController();
      const connection = { gone: gone.signal, hasClosedItsSide: () => socket.readableEnded };
      socket.on('error', onFailure).on('close', () => {
        gone.abort();
        connections.delete(socket);
      });
      readLines(socket, (text) => {
        const answered = answerLine(text, calls, secrets, connection)
          .then((answer) => void (socket.writable && socket.write(`${JSON.stringify(answer)}\n`)))
          .catch(onFailure)
          .finally(() => underWay.delete(answered));
        underWay.add(answered);
      });
    });
    server.listen(path);
    await once(server, 'listening');
    return {
      status: () => ({ connections: connections.size }),
      async close() {
        server.close();
        await Promise.all(underWay);
        for (const each of connections) each.destroy();
      },
    };
  },
};

function readLines(socket: Socket, hear: (text: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    const all = (rest + chunk).split('\n');
    rest = all.pop() ?? '';
    if (rest.length > lineBytesMax) socket.destroy();
    for (const text of all) hear(text);
  });
}

async function answerLine(
  text: string,
  calls: PosCalls,
  secrets: Readonly<Record<string, string>>,
  connection: NonNullable<PosCaller['connection']>,
): Promise<Omit<PosAnswer, 'headers'> & { readonly id?: string }> {
  const read = readJsonRequest(text);
  if ('refused' in read) return read.refused;
  const { id, call, secret, request } = read.body as Line;
  if (!Object.hasOwn(calls, call)) return { id, status: 404, body: undefined };
  const known = Object.entries(secrets).find(([, each]) => each === secret);
  if (secret !== undefined && !known) return { id, status: 401, body: undefined };
  const caller = { address: 'local socket', connection, ...(known ? { posId: known[0] } : {}) };
  const asked = request ?? { query: new URLSearchParams() };
  const { status, body } = await calls[call as PosCallName](asked as never, caller);
  return { id, status, body };
}
