import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { testsThatNeed } from '../support/needs.ts';
import { drained } from './books.ts';
import { type HttpAnswer, type Json, Stage } from './stage.ts';

const { after, before, test } = testsThatNeed('openssl', 'python3');
const bank = fileURLToPath(new URL('../../fixtures/banks/harbour-third/', import.meta.url));

/** The host of the bank: its log, and its books once it has ended. */
class Bank {
  readonly #child: ChildProcess;
  log = '';

  constructor(ca: string) {
    const parameters = [path.join(bank, 'host.py'), '--ca', ca];
    this.#child = spawn('/usr/bin/python3', parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (this.log += chunk));
  }

  async port(): Promise<number> {
    for (;;) {
      const [, port] = /^listening (\d+)$/m.exec(this.log) ?? [];
      if (port !== undefined) return Number(port);
      await once(this.#child.stdout ?? assert.fail(), 'data');
    }
  }

  /** The messages that deviated from PAPER.md. */
  get deviations(): readonly string[] {
    return this.log.split('\n').filter((line) => line.includes('DEVIATION'));
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGTERM');
    await closed;
  }

  async end(): Promise<Json> {
    await this.stop();
    return JSON.parse(this.log.slice(this.log.indexOf('BOOKS') + 'BOOKS'.length));
  }
}

/** The network between terminal and bank. */
class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Whether what the bank sends is lost. */
  losesAnswers = false;

  constructor(port: number) {
    this.#server = createServer((terminal) => {
      const bank = connect(port, '127.0.0.1');
      terminal.on('data', (bytes) => bank.write(bytes));
      bank.on('data', (bytes) => this.losesAnswers || terminal.write(bytes));
      for (const [one, other] of [
        [terminal, bank],
        [bank, terminal],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => undefined);
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
    });
  }

  async port(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends the connections: TLS can't go on after lost bytes. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}

let dir: string;
let host: Bank;
let relay: Relay;
let stage: Stage;
before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'poid-bank-'));
  const ca = path.join(dir, 'ca.pem');
  host = new Bank(ca);
  relay = new Relay(await host.port());
  const port = await relay.port();
  stage = await Stage.open({
    hosts: ['EDC'],
    acquirers: {
      EDC: {
        host: '127.0.0.1',
        port,
        // The first message of a connection waits for TLS and the host's start.
        replyTimeoutMs: 3_000,
        tid: '73100001',
        mid: '733000000000119',
        nii: '073',
        tpdu: undefined,
        dialect: path.join(bank, 'bank.json'),
        values: { softwareVersion: 'POID TEST', readerSerial: 'SIMNEO2-000001' },
        brands: ['VISA', 'MASTER'],
        currencies: ['HKD'],
        security: { tls: { ca, serverName: 'pos.harbourthird.example' } },
        mac: {
          algorithm: 'iso9797-3',
          padding: 1,
          field: 128,
          key: { fixed: 'B5461CD3E9207A8F1689F4323BD6A45E' },
        },
      },
    },
  });
});
after(async () => {
  // Undefined if the stage did not open.
  await (stage as Stage | undefined)?.close();
  relay.close();
  await host.stop();
  await rm(dir, { recursive: true });
});

function refer(transactionType: string, original: Json, requestAmount: number): Promise<HttpAnswer> {
  const { terminalTransactionId: originalTerminalTransactionId } = original;
  return stage.payment(stage.saleRequest({ transactionType, requestAmount, originalTerminalTransactionId }));
}

async function sold(requestAmount: number, fields: Json = {}): Promise<Json> {
  return (await stage.paid('visa', { requestAmount, ...fields })).body;
}

/** The bank’s line of the settlement: its result, batch and reason. */
async function settled(): Promise<Json> {
  const { body } = await stage.settle();
  return body.settlements.find((each: Json) => each.acquirer === 'EDC');
}

test('sells, refunds and voids, and the bank’s batch number is taken from its sign-on', async () => {
  const sale = await sold(12.5);
  assert.equal(sale.responseResult, 'SUCCESS', JSON.stringify(sale));
  assert.equal(sale.transactionResult.batch, 1);
  const voided = await sold(20);
  assert.equal((await refer('VOID', voided, 20)).body.responseResult, 'SUCCESS');
  const refund = await sold(7, { transactionType: 'REFUND' });
  assert.equal(refund.responseResult, 'SUCCESS', JSON.stringify(refund));
});

test('declines have the bank’s reasons', async () => {
  assert.equal((await sold(1.05)).responseResult, 'DECLINED');
  assert.equal((await sold(1.51)).reason, 'insufficientFunds');
});

// Runs once, because reversals in the same second would have the same trace number (README.md beside PAPER.md).
test('a sale that is booked without an answer is reversed', async () => {
  const lost = await sold(1.11);
  assert.equal(lost.responseResult, 'ERROR', JSON.stringify(lost));
  await drained(stage);
  const { body } = await stage.post('enquiry', { posId: lost.posId, messageId: lost.messageId });
  assert.equal(body.financialImpact, 'REVERSED', JSON.stringify(body));
});

test('the batch balances, and the next one has the bank’s number', async () => {
  const { result, batch } = await settled();
  assert.deepEqual([result, batch], ['BALANCED', 1]);
  assert.equal((await sold(23)).transactionResult.batch, 2);
});

test('a settlement whose answer is lost is repeated, and answered as before', async () => {
  relay.losesAnswers = true;
  const { result } = await settled();
  assert.equal(result, 'FAILED');
  relay.losesAnswers = false;
  relay.cut();
  const repeated = await settled();
  assert.equal(repeated.result, 'BALANCED', JSON.stringify(repeated));
  assert.equal((await sold(24)).transactionResult.batch, 3);
});

test('books that differ are uploaded, each transaction under its number', async () => {
  await sold(1.95);
  await drained(stage);
  const { result } = await settled();
  assert.equal(result, 'UPLOADED', host.log.slice(-4_000));
});

test('the bank has what the terminal reported, and no message deviated from its paper', async () => {
  assert.deepEqual(host.deviations, []);
  const [{ closed } = assert.fail('no terminal')] = Object.values((await host.end()).terminals) as Json[];
  const batches = closed.map(({ batch, closed_by: closedBy, transactions }: Json) => [
    batch,
    closedBy,
    ...transactions.map(({ kind, state, amount }: Json) => `${kind} ${amount} ${state}`),
  ]);
  assert.deepEqual(batches, [
    [
      1,
      'balanced',
      'sale 1250 approved',
      'sale 2000 voided',
      'void 2000 approved',
      'refund 700 approved',
      'sale 105 declined',
      'sale 151 declined',
      'sale 111 reversed',
    ],
    [2, 'balanced', 'sale 2300 approved'],
    [3, 'upload', 'sale 2400 approved', 'sale 195 approved'],
  ]);
});
