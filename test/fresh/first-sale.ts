import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * What README's first command promises: `npm start` prints three addresses, each answers, and a sale is paid by card. Ended by
 * SIGTERM to npm alone, it leaves nothing listening. Runs in a clone that has its packages.
 */
const withinMs = 120_000;
const npm = spawn('npm', ['start'], { stdio: ['ignore', 'pipe', 'inherit'] });
const deadline = setTimeout(() => {
  console.error(`npm start: not over after ${withinMs / 1_000} s`);
  npm.kill('SIGKILL');
  process.exit(1);
}, withinMs);

let said = '';
npm.stdout.setEncoding('utf8').on('data', (text: string) => {
  process.stdout.write(text);
  said += text;
});
const ended = once(npm, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
const addresses = () =>
  Array.from(said.matchAll(/^ {2}\w[\w ]+ {2}(http:\/\/127\.0\.0\.1:\d+)$/gm), ([, url = '']) => url);
while (addresses().length < 3) {
  const gone = ended.then(([code]) => assert.fail(`npm start ended with ${code} before it had said three addresses`));
  await Promise.race([once(npm.stdout, 'data'), gone]);
}
// README's table.
assert.deepEqual(addresses(), ['http://127.0.0.1:8080', 'http://127.0.0.1:8081', 'http://127.0.0.1:8090']);
const [api, screen, simulator] = addresses() as [string, string, string];
for (const page of [`${api}/sp/v1/status`, screen, simulator]) {
  const { status } = await fetch(page);
  assert.equal(status, 200, page);
}

function post(url: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

const sale = { posId: 'POS-1', messageId: 'M-1', transactionType: 'SALE', requestAmount: 30, currency: 'HKD' };
const paying = post(`${api}/sp/v1/payment`, sale);
assert.equal((await post(`${simulator}/api/reader/tap`, { card: 'visa' })).status, 200);
// As README shows it.
assert.match(await (await paying).text(), /"responseResult":"SUCCESS".*"VISA"/);
console.log('npm start: a sale of HKD 30 was paid by VISA');

npm.kill('SIGTERM');
await ended;
for (const url of [api, screen, simulator]) {
  // npm may be gone before its children are.
  while (await answers(url));
}
clearTimeout(deadline);

async function answers(url: string): Promise<boolean> {
  const answered = await fetch(url).catch(() => undefined);
  await answered?.body?.cancel();
  return answered !== undefined;
}
