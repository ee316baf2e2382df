import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { poid } from '../cli/poid.ts';
import { ShellTill } from './shell-till.ts';
import { eventually, type Json, Stage } from './stage.ts';

/** An address of a host, until it is given up. */
class Address {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The host hears all, and its answers are lost. */
  isSilent = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async of(host: number): Promise<Address> {
    const server = createServer((socket) => {
      const there = connect(host, '127.0.0.1');
      for (const each of [socket, there]) {
        address.#sockets.add(each);
        each.on('error', () => undefined).on('close', () => address.#sockets.delete(each));
      }
      socket.pipe(there);
      there.on('data', (answer) => address.isSilent || socket.write(answer));
    });
    const address = new Address(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return address;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  giveUp(): void {
    this.#server.close();
    for (const each of this.#sockets) each.destroy();
  }
}

/** The commands of docs/operations.md, "Move an acquirer's host". */
async function procedure(name: string): Promise<readonly string[]> {
  const text = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const [, block = assert.fail(name)] =
    new RegExp(`<!-- procedure: ${name} -->\n\`\`\`\n([^]*?)\`\`\``).exec(text) ?? [];
  return block.trim().split('\n');
}

/** A terminal whose host EDC has an old and a new address, the same books behind both. */
async function shop(t: TestContext) {
  const stage = await Stage.open({ hosts: ['EDC'] });
  t.after(() => stage.close());
  const read = async (): Promise<Json> => JSON.parse(await readFile(stage.configuration, 'utf8'));
  const host = (await read()).acquirers[0].port as number;
  const [old, moved] = await Promise.all([Address.of(host), Address.of(host)]);
  t.after(() => [old, moved].forEach((each) => each.giveUp()));
  const places = path.join(stage.dir, 'own.json');
  const change = async (port: number) => {
    const configuration = await read();
    configuration.acquirers[0].port = port;
    await writeFile(stage.configuration, JSON.stringify(configuration));
  };
  /** As whoever looks after the terminal types them; its unit is this test's process. Resolves with what each printed. */
  const type = async (lines: readonly string[]): Promise<Json> => {
    const answer: Json = {};
    for (const line of lines) {
      if (line === 'systemctl stop poid') await stage.stopDaemon('SIGTERM');
      else if (line === 'systemctl start poid') await stage.startDaemon();
      else if (line === 'poid settle') answer[line] = await new ShellTill(stage.apiUrl, ['settle']).ended;
      else if (line === 'poid unsettled') answer[line] = await poid(t, 'unsettled', '--state-dir', stage.stateDir);
      else if (line === 'poid doctor' || line.startsWith('poid acquirer moved')) {
        const port = Number(new URL(stage.screenUrl).port);
        const configuration = await read();
        const own = { ...configuration, stateDir: stage.stateDir, screen: { ...configuration.screen, port } };
        await writeFile(places, JSON.stringify(own));
        const words = line.split(' ').slice(1);
        answer[line] = await poid(t, ...words, '--config', places, ...(words[0] === 'doctor' ? ['--json'] : []));
      } else assert.fail(`what is ${line}?`);
    }
    return answer;
  };
  await stage.stopDaemon('SIGTERM');
  await change(old.port);
  await stage.startDaemon();
  return { stage, old, moved, change, type };
}

test('a host moves: settled at the old address, then changed; the terminal sells at the new one', async (t) => {
  const { stage, old, moved, change, type } = await shop(t);
  assert.equal((await stage.paid('visa')).body.responseResult, 'SUCCESS');
  const settled = await type(await procedure('settled'));
  assert.equal(settled['poid settle'].code, 0, settled['poid settle'].err);
  assert.deepEqual([settled['poid unsettled'].code, settled['poid unsettled'].out], [0, 'nothing is unsettled\n']);
  await change(moved.port);
  old.giveUp();
  const { 'poid doctor': doctor } = await type(await procedure('moved'));
  const found = JSON.parse(doctor.out).findings.find(({ part }: Json) => part === 'host EDC');
  assert.equal(found.verdict, 'PASS');
  assert.match(found.detail, new RegExp(`127\\.0\\.0\\.1:${moved.port} `));
  const { body } = await stage.paid('visa');
  assert.equal(body.responseResult, 'SUCCESS');
  const { terminalTransactionId: originalTerminalTransactionId } = body;
  const voided = await stage.payment(stage.saleRequest({ transactionType: 'VOID', originalTerminalTransactionId }));
  assert.equal(voided.body.responseResult, 'SUCCESS');
});

test('its old address is dead, with an open batch and a reversal: both come to their end at the new one', async (t) => {
  const { stage, old, moved, change, type } = await shop(t);
  const { body: paid } = await stage.paid('visa');
  assert.equal(paid.responseResult, 'SUCCESS');
  old.isSilent = true;
  const { body: lost } = await stage.paid('visa');
  assert.deepEqual([lost.responseResult, lost.financialImpact], ['ERROR', 'REVERSAL_PENDING']);
  old.giveUp();
  const dead = await type(await procedure('settled'));
  assert.notEqual(dead['poid settle'].code, 0);
  assert.equal(dead['poid unsettled'].code, 3);
  assert.match(dead['poid unsettled'].out, /EDC/);

  await change(moved.port);
  await type(await procedure('confirmed'));
  assert.equal((await stage.status()).acquirers[0].held, undefined);
  await eventually(
    () => stage.status(),
    ({ pendingReversals }) => pendingReversals === 0,
  );
  const proved = await type(await procedure('proved'));
  assert.equal(proved['poid settle'].code, 0, proved['poid settle'].out + proved['poid settle'].err);
  assert.deepEqual([proved['poid unsettled'].code, proved['poid unsettled'].out], [0, 'nothing is unsettled\n']);
  const postings = await stage.ledger('EDC');
  assert.deepEqual(new Set(postings.map(({ status }) => status)), new Set(['POSTED', 'REVERSED']));
  assert.equal(postings.length, 2);
  const enquired = (await stage.enquiry(lost)).body;
  assert.equal(enquired.financialImpact, 'REVERSED');
});
