import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { MqttClient } from 'mqtt';
import { connected, openCloudStage, terminalName } from '../pos/cloud/cloud-till.ts';
import { Broker } from '../support/broker.ts';
import { testsThatNeed } from '../support/needs.ts';
import type { Json, Stage } from './stage.ts';

const { after, before, test } = testsThatNeed('mosquitto', 'openssl');

const topic = `poid/v1/${terminalName}/books`;

let dir: string;
let broker: Broker;
let stage: Stage;
let sink: MqttClient;
/** What the sink has, in its order; it acknowledges each. */
const books: Json[] = [];
before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'poid-books-'));
  broker = await Broker.start(dir, { tls: true });
  sink = await connected(broker, 'sink');
  sink.on('message', (_topic, payload) => {
    const message: Json = JSON.parse(payload.toString());
    const last = books.at(-1)?.seq ?? 0;
    if (message.after <= last && message.seq > last) books.push(message);
    const acknowledgement = { stream: message.stream, seq: books.at(-1)?.seq ?? 0 };
    sink.publish(`${topic}/ack`, JSON.stringify(acknowledgement), { qos: 1, retain: true });
  });
  await sink.subscribeAsync(topic, { qos: 1 });
  stage = await openCloudStage(broker);
});
after(async () => {
  await stage?.close();
  await sink?.endAsync(true);
  await broker?.stop();
  await rm(dir, { recursive: true });
});

/** Resolves when the books have it. */
async function nextMessage(is: (message: Json) => boolean): Promise<Json> {
  for (;;) {
    const found = books.find(is);
    if (found) return found;
    const patience = AbortSignal.timeout(30_000);
    await new Promise((resolve, reject) => {
      sink.once('message', () => setImmediate(resolve));
      patience.addEventListener('abort', () =>
        reject(new Error(JSON.stringify(books.map(({ kind, id }) => [kind, id])))),
      );
    });
  }
}

test('a sale, its void and the settlement are in the books as the terminal lists them, and no card number', async () => {
  const paying = stage.payment(stage.saleRequest());
  await stage.tap('mastercard');
  const sale = (await paying).body;
  assert.equal(sale.responseResult, 'SUCCESS');
  const first = await nextMessage(({ id }) => id === sale.terminalTransactionId);
  assert.equal(first.record.transactionResult.tranStatus, 'APPROVED');
  const voided = await stage.payment(
    stage.saleRequest({ transactionType: 'VOID', originalTerminalTransactionId: sale.terminalTransactionId }),
  );
  assert.equal(voided.body.responseResult, 'SUCCESS');
  // Its receipt is printed after the answer, and the books get the record again.
  const second = await nextMessage(
    ({ id, record }) => id === voided.body.terminalTransactionId && record.receiptStatus === 'PRINTED',
  );
  assert.deepEqual(
    second.originals.map(({ id, record }: Json) => [id, record.transactionResult.tranStatus]),
    [[sale.terminalTransactionId, 'VOIDED']],
  );
  const { body: settlement } = await stage.settle();
  const third = await nextMessage(({ kind }) => kind === 'settlement');
  assert.deepEqual(third.record, settlement);
  const list: Json = await (await fetch(`${stage.apiUrl}/sp/v1/transactions?order=oldest`)).json();
  const latest = new Map(books.filter(({ kind }) => kind === 'transaction').map(({ id, record }) => [id, record]));
  assert.deepEqual(latest.get(voided.body.terminalTransactionId), list.transactions[1]);
  assert.deepEqual(
    books.map(({ seq }) => seq),
    books.map(({ seq }) => seq).sort((one, other) => one - other),
  );
  // Mastercard's published test number, and any other run of 13 digits that passes its check digit.
  const runs = JSON.stringify(books).match(/(?<![0-9A-Za-z])\d{13,19}(?![0-9A-Za-z])/g) ?? [];
  assert.deepEqual(runs.filter(passesLuhn), []);
  assert.doesNotMatch(JSON.stringify(books), /541333\d|encryptedPan|ksn|track|pinBlock/i);
});

function passesLuhn(digits: string): boolean {
  const sum = digits
    .split('')
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}
