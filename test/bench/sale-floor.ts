import { once } from 'node:events';
import { constants, openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { ReadStream } from 'node:tty';
import { Worker } from 'node:worker_threads';

/**
 * The floor of one sale: an HTTP exchange of the same size, three durable commits, one round trip to a reader and one to
 * a host; and nothing that makes a payment of it. However few commits the terminal needs, the floor is the same.
 * `node sale-floor.ts <database> <host port> <request as hex> <bytes of the answer> <reader's path> <02-40 as hex>`
 */
const [database = '', hostPort = '', requestHex = '', answerBytes = '', readerPath = '', armHex = ''] =
  process.argv.slice(2);
const request = Buffer.from(requestHex, 'hex');
const arming = Buffer.from(armHex, 'hex');
/** NEO2: tag, command, status and length (IDG p.28); then the data and two bytes of CRC. */
const [headBytes, lengthAt, crcBytes] = [14, 12, 2];

process.once('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));

const store = new Worker(new URL('./sale-floor-store.ts', import.meta.url), {
  workerData: { database },
  name: 'journal',
});
await once(store, 'message');
const host = connect({ host: '127.0.0.1', port: Number(hostPort), noDelay: true });
await once(host, 'connect');
const line = readerPath === '' ? undefined : openLine();

function openLine(): { descriptor: number; stream: ReadStream } {
  const descriptor = openSync(readerPath, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  return { descriptor, stream: new ReadStream(descriptor) };
}

async function commit(body: string): Promise<void> {
  const answer = once(store, 'message');
  store.postMessage(body);
  await answer;
}

/** Without a reader nothing is read: then the floor is lower, not higher. */
async function readCard(): Promise<void> {
  if (!line) return;
  writeSync(line.descriptor, arming);
  await gather(line.stream, headBytes, (head) => headBytes + head.readUInt16BE(lengthAt) + crcBytes);
}

async function askHost(): Promise<void> {
  host.write(request);
  await gather(host, 2, (head) => 2 + head.readUInt16BE(0));
}

/** Waits for as many bytes as their head says. */
async function gather(stream: NodeJS.ReadableStream, bytes: number, whole: (head: Buffer) => number): Promise<void> {
  let held = Buffer.alloc(0);
  while (held.length < bytes || held.length < whole(held)) {
    const [chunk] = (await once(stream, 'data')) as [Buffer];
    held = Buffer.concat([held, chunk]);
  }
}

const server = createServer((incoming, response) => {
  let text = '';
  incoming.setEncoding('utf8');
  incoming.on('data', (chunk: string) => (text += chunk));
  incoming.on('end', () => {
    void (async () => {
      const body = JSON.stringify(JSON.parse(text));
      await commit(body);
      await readCard();
      await commit(body);
      await askHost();
      await commit(body);
      const answer = JSON.stringify({ filler: 'x'.repeat(Math.max(0, Number(answerBytes) - 13)) });
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) };
      response.writeHead(200, headers).end(answer);
    })();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
