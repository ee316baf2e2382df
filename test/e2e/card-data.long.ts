import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Card, loadCards } from '../../hw-sim/card/card.ts';
import { byCard, byEps, type CardName, epsPin, type Way } from './customer.ts';
import { searchProcess } from './process-memory.ts';
import { hideCard, hideDigits, hideEnciphered, hidePin, type Secrets } from './secrets.ts';
import { eventually, type HttpAnswer, type Json, Stage } from './stage.ts';

const sales = Number(process.env['MEMORY_SALES'] ?? 100);
const cards = await loadCards(fileURLToPath(new URL('../../fixtures/cards', import.meta.url)));
const epsPan = cardOf('eps').pan;
/** As long as a PIN can be: four digits are in any memory. */
const wrongPin = '928374650192';

const chipCards: readonly CardName[] = ['visa', 'mastercard', 'amex', 'jcb', 'unionpay'];
const ways: readonly Way[] = [
  ...chipCards.flatMap((card) => [byCard(card), byCard(card, 'insert'), byCard(card, 'fallback')]),
  byEps('SAVINGS'),
  byEps('CURRENT'),
];

function cardOf(name: string): Card {
  return cards.get(name) ?? assert.fail(`no card ${name}`);
}

/** All that a terminal says and writes, and what must be in none of it, nor in its memory. */
class Terminal {
  readonly stage: Stage;
  /** Neither held in the clear, nor written, nor said. */
  readonly secrets: Secrets = new Map();
  /** May be held as long as it is sent, but not written nor said. */
  readonly #enciphered: Secrets = new Map();
  readonly #said: Buffer[] = [];
  readonly #approved: Json[] = [];
  searchedBytes = 0;

  constructor(stage: Stage) {
    this.stage = stage;
    for (const card of cards.values()) hideCard(this.secrets, card);
    for (const pin of [epsPin, wrongPin]) hidePin(this.secrets, pin, epsPan);
  }

  async pays(way: Way, wanted = 'SUCCESS', fields: Json = {}): Promise<Json> {
    const answer = await this.stage.paid(way, fields);
    assert.equal(answer.body.responseResult, wanted, `${way.name}: ${answer.body.message}`);
    if (way.acquirer === 'EPS') await this.hidesEnciphered(epsPin);
    if (wanted === 'SUCCESS') this.#approved.push(answer.body);
    await this.#assertSecret(answer);
    return answer.body;
  }

  async refers(transactionType: string, { terminalTransactionId }: Json): Promise<void> {
    const request = this.stage.saleRequest({ transactionType, originalTerminalTransactionId: terminalTransactionId });
    const answer = await this.stage.payment(request);
    assert.equal(answer.body.responseResult, 'SUCCESS', `${transactionType}: ${answer.body.message}`);
    await this.#assertSecret(answer);
  }

  async hidesEnciphered(pin: string): Promise<void> {
    hideEnciphered(this.#enciphered, pin, epsPan, (await this.stage.bench()).reader.pinKsn);
  }

  async assertMemoryClean(when: string): Promise<void> {
    const { bytes, found } = await searchProcess(this.stage.daemonPid, this.secrets);
    assert.deepEqual(found, [], `in the daemon's memory, ${when}`);
    this.searchedBytes += bytes;
  }

  /** Journal, log and answers. */
  async assertRecordsClean(): Promise<void> {
    const { stage } = this;
    this.#said.push(Buffer.from(JSON.stringify([await stage.status(), await stage.settle()])));
    this.#said.push(Buffer.from(await stage.paper()));
    await stage.stopDaemon('SIGKILL');
    const files = (await readdir(stage.stateDir)).filter((name) => name !== 'trace.sock');
    assert.ok(files.includes('journal.db-wal'), `the journal is not where it is searched: ${files.join(' ')}`);
    for (const file of files) this.#said.push(await readFile(path.join(stage.stateDir, file)));
    this.#said.push(Buffer.from(stage.log));
    const everything = Buffer.concat(this.#said);
    for (const { terminalTransactionId } of this.#approved) {
      assert.ok(everything.includes(terminalTransactionId), 'what is searched is not what was written');
    }
    for (const [name, bytes] of [...this.secrets, ...this.#enciphered]) {
      assert.ok(!everything.includes(bytes), `${name}, in journal, log, answers or paper`);
    }
  }

  async #assertSecret(answer: HttpAnswer): Promise<void> {
    const { terminalTransactionId } = answer.body;
    const asked = [answer, await this.stage.enquiry(answer.body)];
    asked.push(await this.stage.post('receipt', { terminalTransactionId, output: 'TEXT', copy: 'MERCHANT' }));
    this.#said.push(Buffer.from(JSON.stringify(asked)));
  }
}

test(`no card number, track or PIN is in the daemon's memory, journal, log or answers: ${sales} sales`, async (t) => {
  const stage = await Stage.open({ acquirer: { replyTimeoutMs: 300 } });
  try {
    const terminal = new Terminal(stage);
    await assertSearchFinds(stage);

    const approved: Json[] = [];
    for (let sale = 0; sale < sales; sale++) {
      approved.push(await terminal.pays(ways[sale % ways.length] ?? assert.fail()));
      if (sale === sales >> 1) await terminal.assertMemoryClean('half-way');
    }

    await stage.host('EDC', { mode: 'up', decline: '51' });
    for (const entry of ['tap', 'insert'] as const) await terminal.pays(byCard('visa', entry), 'DECLINED');
    await stage.host('EDC', { mode: 'up' });
    await stage.fault('reader', { cardRefuses: true });
    await terminal.pays(byCard('amex', 'insert'), 'DECLINED');
    await stage.host('EDC', { mode: 'silent' });
    await terminal.pays(byCard('mastercard'), 'ERROR');
    await stage.host('EDC', { mode: 'up' });
    const refund = await terminal.pays(byCard('visa', 'insert'), 'SUCCESS', { transactionType: 'REFUND' });
    await terminal.refers('VOID', refund);
    await terminal.refers('VOID', approved[0]);

    const wrong = stage.begun(byEps().request);
    await stage.swipe('eps');
    await stage.act('chooseAccount', { kind: 'account', account: 'CURRENT' });
    await stage.enterPin(wrongPin);
    await terminal.hidesEnciphered(wrongPin);
    // The pad asks again: card and PIN are as fresh in the memory as they get.
    await stage.view(({ hint }) => hint === 'wrongPin');
    // Asked, and heard: standing still must not cost it the reader's answer.
    await eventually(
      () => stage.bench(),
      ({ reader }) => reader.pinPad.again,
    );
    await stage.status();
    await terminal.assertMemoryClean('after a wrong PIN');
    await stage.enterPin(epsPin);
    assert.equal((await wrong.answer).body.responseResult, 'SUCCESS');

    await stage.host('EDC', { mode: 'silent' });
    const flight = stage.begun();
    await stage.tap('visa');
    await terminal.assertMemoryClean('while a card is at its host');
    await flight.answer;
    await stage.host('EDC', { mode: 'up' });
    await terminal.assertMemoryClean('at the end');
    t.diagnostic(`${terminal.secrets.size} patterns in ${terminal.searchedBytes >> 20} MiB`);
    await terminal.assertRecordsClean();
  } finally {
    await stage.close();
  }
});

/**
 * The search can find: in the simulator every card, which it has to know; in the daemon a number that it is just being
 * told, in a request that does not end.
 */
async function assertSearchFinds(stage: Stage): Promise<void> {
  const known: Secrets = new Map();
  for (const { name, pan } of cards.values()) known.set(name, Buffer.from(pan, 'latin1'));
  assert.deepEqual((await searchProcess(stage.simulatorPid, known)).found, [...cards.keys()]);

  const planted: Secrets = new Map();
  // PayPal Payflow's test number; no card of the fixtures.
  hideDigits(planted, 'planted', '6011000990139424');
  assert.deepEqual((await searchProcess(stage.daemonPid, planted)).found, []);
  const { hostname, port } = new URL(stage.apiUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const bytes = planted.get('planted, packed') ?? assert.fail();
  const head =
    'POST /sp/v1/payment HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n';
  socket.write(Buffer.concat([Buffer.from(`${head}{"note":"6011000990139424","more":"`), bytes]));
  // It has read what came before it has answered what came later.
  await stage.status();
  const { found } = await searchProcess(stage.daemonPid, planted);
  socket.destroy();
  assert.deepEqual(found, ['planted, ASCII', 'planted, packed']);
}
