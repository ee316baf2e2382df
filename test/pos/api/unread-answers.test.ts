import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { wire } from './raw-client.ts';
import { approved, authorizedRecord, success } from './records.ts';
import { served } from './served.ts';

const paid: PayAnswer = { kind: 'ended', record: authorizedRecord({ outcome: approved, conclusion: success }) };
/** More than the kernel holds of a connection. */
const answerBytes = 32_000_000;

const sale = JSON.stringify({
  posId: 'POS-1',
  messageId: 'M-1',
  transactionType: 'SALE',
  requestAmount: 1,
  currency: 'HKD',
});

/** A terminal with an answer that is too long for the kernel, and room for six connections. */
async function crowded(t: TestContext) {
  const clock = new ManualClock();
  let onAsked: () => void = () => undefined;
  const status = async () => {
    onAsked();
    return { text: 'x'.repeat(answerBytes) };
  };
  const limits = { connectionsMax: 6, perAddressMax: 3, newPerSecondMax: 1_000 };
  const api = await served(t, { limits, status, clock });
  const connect = (localAddress: string) => {
    const socket = net.connect({ port: api.port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    api.clients.add(socket);
    return socket;
  };
  /** A connection whose client does not read its answer. */
  const hold = async (localAddress: string, behind = '') => {
    const socket = connect(localAddress).pause();
    const asked = new Promise<void>((resolve) => (onAsked = resolve));
    socket.write(`GET /sp/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n${behind}`);
    await asked;
    // Its answer is written in this round.
    await new Promise(setImmediate);
    return socket;
  };
  return { api, clock, connect, hold };
}

describe('answers that nobody reads', { timeout: 60_000 }, () => {
  test('keep no other device out, and a payment that waits for its customer is answered', async (t) => {
    const { api, connect, hold } = await crowded(t);
    const answer = Promise.withResolvers<PayAnswer>();
    api.terminal.payAnswer = () => answer.promise;
    const paying = connect('127.0.0.2').setEncoding('utf8');
    let heard = '';
    paying.on('data', (text: string) => (heard += text));
    paying.write(wire(sale));
    await api.terminal.paidTimes(1);
    for (const address of ['127.0.0.2', '127.0.0.2', '127.0.0.3', '127.0.0.3', '127.0.0.3']) await hold(address);
    for (let call = 0; call < 4; call++) assert.equal((await api.call({ path: '/nowhere' })).status, 404);
    // Its own address is full as well.
    for (let call = 0; call < 3; call++) await hold('127.0.0.2');
    answer.resolve(paid);
    while (!heard.endsWith('}}')) await once(paying, 'data');
    assert.match(heard, /^HTTP\/1\.1 200 OK/);
    assert.deepEqual(api.failures, []);
  });

  test('keep no other device out where an event stream is asked for behind them', async (t) => {
    const { api, hold } = await crowded(t);
    const stream = 'GET /sp/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
    for (const address of ['127.0.0.2', '127.0.0.2', '127.0.0.2', '127.0.0.3', '127.0.0.3', '127.0.0.3'])
      await hold(address, stream);
    for (let call = 0; call < 4; call++) assert.equal((await api.call({ path: '/nowhere' })).status, 404);
    assert.deepEqual(api.failures, []);
  });

  test('are cut off after 15 seconds in which nothing of them was taken', async (t) => {
    const { api, clock, hold } = await crowded(t);
    const socket = await hold('127.0.0.2');
    await clock.running(15_000);
    while (clock.pending > 0) {
      await new Promise(setImmediate);
      clock.pass(1);
    }
    // What its kernel holds can still be read. A reset is an error first.
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.resume();
    await closed;
    assert.ok(socket.bytesRead < answerBytes, `${socket.bytesRead}`);
    assert.deepEqual(api.failures, []);
  });
});
