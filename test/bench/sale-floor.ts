import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Worker } from 'node:worker_threads';

/**
 * The floor of one sale: an HTTP exchange of the same size, as many durable commits, and one round trip to a host; and nothing
 * that makes a payment of it. `node sale-floor.ts <database> <commits> <host port> <request as hex> <bytes of the answer>`
 */
const [database = '', commitsText = '', hostPort = '', requestHex = '', answerBytes = ''] = process.argv.slice(2);
const commits = Number(commitsText);
const request = Buffer.from(requestHex, 'hex');
/** The last commit is the answer's: the host is asked before it. */
const commitsBefore = commits - 1;

process.once('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));

const store = new Worker(new URL('./sale-floor-store.ts', import.meta.url), { workerData: { database } });
await once(store, 'message');
const host = connect({ host: '127.0.0.1', port: Number(hostPort), noDelay: true });
await once(host, 'connect');

async function committed(body: string): Promise<void> {
  const answer = once(store, 'message');
  store.postMessage(body);
  await answer;
}

async function asked(): Promise<void> {
  let held = 0;
  let whole = Infinity;
  host.write(request);
  while (held < whole) {
    const [chunk] = (await once(host, 'data')) as [Buffer];
    if (held === 0) whole = 2 + chunk.readUInt16BE(0);
    held += chunk.length;
  }
}

const server = createServer((incoming, response) => {
  let text = '';
  incoming.setEncoding('utf8');
  incoming.on('data', (chunk: string) => (text += chunk));
  incoming.on('end', () => {
    void (async () => {
      const body: unknown = JSON.parse(text);
      for (let each = 0; each < commitsBefore; each++) await committed(JSON.stringify(body));
      await asked();
      await committed(JSON.stringify(body));
      const answer = JSON.stringify({ filler: 'x'.repeat(Math.max(0, Number(answerBytes) - 13)) });
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) };
      response.writeHead(200, headers).end(answer);
    })();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
