import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test, type TestContext } from 'node:test';
import { type Json, Stage } from './stage.ts';

const copies = 3_000;

/** Before the card host: whatever it sends, the terminal gets many times. */
async function repeater(t: TestContext, host: number): Promise<number> {
  const server = createServer((socket) => {
    const there = connect(host, '127.0.0.1');
    for (const each of [socket, there]) each.on('error', () => undefined);
    socket.pipe(there);
    there.on('data', (answer) => socket.write(Buffer.concat(Array.from({ length: copies }, () => answer))));
    t.after(() => [socket, there].forEach((each) => each.destroy()));
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

test('a host that repeats every answer without end fills neither log nor journal, and the terminal sells', async (t) => {
  const stage = await Stage.open({ hosts: ['EDC'], flags: ['--plain-hosts'] });
  t.after(() => stage.close());
  const configuration: Json = JSON.parse(await readFile(stage.configuration, 'utf8'));
  configuration.acquirers[0].port = await repeater(t, configuration.acquirers[0].port);
  await stage.stopDaemon('SIGTERM');
  await writeFile(stage.configuration, JSON.stringify(configuration));
  await stage.startDaemon();
  const before = stage.log.length;
  // Copies of an answer come before that of the next sale, on one connection.
  for (let sale = 0; sale < 3; sale++) assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  const lines = stage.log.slice(before).split('\n');
  const late = lines.filter((line) => line.includes('"msg":"late answer"'));
  assert.ok(late.length >= 20 && late.length <= 45, `${late.length} lines`);
  assert.ok(!lines.some((line) => line.includes('late approval')));
  await stage.stopDaemon('SIGTERM');
  assert.match(stage.log, /"reason":"\d{3,} more within a minute","msg":"late answer"/);
});
