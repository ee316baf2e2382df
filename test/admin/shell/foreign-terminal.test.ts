import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { type Ended, ShellTill } from '../../e2e/shell-till.ts';

/** The commands against what is no terminal of ours, and against one that can't be asked. 1 only if nothing was begun. */

type Reply = { readonly status?: number; readonly body: unknown };

const servers: Server[] = [];
after(() => {
  for (const each of servers) each.close().closeAllConnections();
});

const isStatus = ({ url }: IncomingMessage) => url === '/sp/v1/status';

/** Status is answered as it should be; everything else as told. A text is sent as it is. */
async function terminalThat(reply: (call: string, identity: object) => Reply | undefined): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const written = await text(request);
    const { posId, messageId } = (written === '' ? {} : JSON.parse(written)) as Record<string, string>;
    const identity = posId === undefined ? {} : { posId, messageId };
    const call = (request.url ?? '').replace('/sp/v1/', '').replace(/\?.*/, '');
    const { status = 200, body } = isStatus(request)
      ? { body: { responseResult: 'SUCCESS' } }
      : (reply(call, identity) ?? { status: 404, body: {} });
    const type = call === 'events' ? 'text/event-stream' : 'application/json';
    response.writeHead(status, { 'content-type': type });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const server = createServer((request, response) => void answer(request, response));
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function run(url: string, ...words: string[]): Promise<Ended> {
  const till = new ShellTill(url, words);
  till.type('');
  return till.ended;
}

const open = { responseResult: 'ERROR', financialImpact: 'UNKNOWN' };

describe('an answer of a shape that no terminal gives is 7, and no stack', () => {
  for (const fields of [
    { ...open, errors: [null] },
    { ...open, errors: 5 },
    { ...open, text: 'no' },
    { ...open, text: null, message: { a: 1 }, hostCode: [] },
    { responseResult: 'UNKNOWN', financialImpact: 'NONE' },
    { responseResult: 'success', financialImpact: 'NONE' },
    { financialImpact: 'NONE' },
  ]) {
    test(JSON.stringify(fields), async () => {
      const url = await terminalThat((_, identity) => ({ body: { ...identity, ...fields } }));
      const { code, out, err } = await run(url, 'pay', '5', '--wait', '0');
      assert.equal(code, 7, out + err);
      assert.doesNotMatch(out + err, /\n {4}at /);
    });
  }
});

describe('what can’t be asked for is not known', () => {
  test('a payment of an earlier --id, at a terminal that is gone: 7', async () => {
    for (const words of [
      ['pay', '7', '--id', 'EARLIER'],
      ['refund', '7', '--id', 'EARLIER'],
      ['settle', '--id', 'EARLIER'],
    ])
      assert.equal((await run('http://127.0.0.1:1', ...words)).code, 7, words.join(' '));
  });

  const busy = { responseResult: 'ERROR', reason: 'busy', financialImpact: 'NONE' };
  for (const [what, enquiry, code] of [
    ['was approved', { status: 200, body: { responseResult: 'SUCCESS', terminalTransactionId: 'T' } }, 7],
    ['can’t be asked for', { status: 503, body: busy }, 7],
    ['is not there', { status: 404, body: { responseResult: 'NOT_FOUND', financialImpact: 'NONE' } }, 1],
  ] as const) {
    test(`a refusal of an earlier --id that ${what}: ${code}`, async () => {
      const url = await terminalThat((call, identity) => {
        if (call === 'payment') return { status: 409, body: { ...identity, ...busy } };
        return call === 'enquiry' ? { ...enquiry, body: { ...identity, ...enquiry.body } } : undefined;
      });
      const ended = await run(url, 'pay', '7', '--id', 'EARLIER', '--wait', '0');
      assert.equal(ended.code, code, ended.out + ended.err);
    });
  }

  for (const [what, reply] of [
    ['is refused', { status: 401, body: { responseResult: 'ERROR', reason: 'notPaired', financialImpact: 'NONE' } }],
    ['is not ready', { status: 503, body: busy }],
    ['is no list', { body: { responseResult: 'SUCCESS' } }],
    ['has no messageId', { body: { responseResult: 'SUCCESS', transactions: [null] } }],
    ['is no JSON', { body: '<html>' }],
  ] as const) {
    test(`the last transaction, whose list ${what}: 7`, async () => {
      const url = await terminalThat((call) => (call === 'transactions' ? reply : undefined));
      const { code, err } = await run(url, 'enquire', '--wait', '0');
      assert.equal(code, 7, err);
    });
  }

  test('the last transaction of a POS that has begun none: 1', async () => {
    const url = await terminalThat(() => ({ body: { responseResult: 'SUCCESS', transactions: [] } }));
    const { code, err } = await run(url, 'enquire', '--wait', '0');
    assert.deepEqual([code, err], [1, 'poid: SHELL has begun no transaction\n']);
  });
});

/** What steers a terminal, but for the end of a line. */
const steering = /[^\P{C}\n]/u;

test('nothing of a foreign machine steers the terminal, on standard output and error', async () => {
  const hostile = '\u001B[2J\u009B31m\u0007\u007F\u202E\u2066';
  const url = await terminalThat((call, identity) => {
    if (call === 'events') {
      const data = { ...identity, messageId: 'X', state: 'collecting', step: `a${hostile}`, hint: hostile };
      return { body: `event: state\ndata: ${JSON.stringify(data)}\n\n` };
    }
    if (call === 'receipt') return { body: `${hostile}<` };
    const result = { tranStatus: hostile, tranType: hostile, currency: hostile, totalAmount: hostile };
    return {
      body: {
        ...identity,
        responseResult: 'SUCCESS',
        terminalTransactionId: hostile,
        transactionResult: result,
        transactions: [{ ...result, transactionResult: result, responseResult: hostile }],
        nextCursor: hostile,
        csv: `by,name\r\nposId,${hostile}\r\n`,
        batches: [{ acquirer: hostile, batch: hostile, totals: [{ transactionType: hostile }] }],
        paymentMethod: [{ name: hostile }],
        drawerSales: hostile,
        drawerOpenings: [{ posId: hostile, count: 1 }],
        settlements: [{ acquirer: hostile, result: hostile, message: hostile }],
        acquirers: [{ id: hostile, link: hostile }],
        message: hostile,
        state: hostile,
        devices: { [hostile]: { state: hostile } },
      },
    };
  });
  for (const words of [
    ['pay', '5', '--id', 'X'],
    ['enquire', 'X'],
    ['cancel', 'X'],
    ['transactions'],
    ['events'],
    ['status'],
    ['report'],
    ['settle'],
  ]) {
    const { out, err } = await run(url, ...words);
    assert.doesNotMatch(out + err, steering, words.join(' '));
  }
  const { out } = await run(url, 'report', '--csv');
  assert.equal(out, 'by,name\nposId,\\u{1b}[2J\\u{9b}31m\\u{7}\\u{7f}\\u{202e}\\u{2066}\n', 'a row is a line');
  const noJson = await terminalThat(() => ({ body: `${hostile}<` }));
  for (const words of [
    ['enquire', 'X', '--wait', '0'],
    ['cancel', 'X'],
  ]) {
    const { out, err, code } = await run(noJson, ...words);
    assert.equal(code, 7, words.join(' '));
    assert.doesNotMatch(out + err, steering, words.join(' '));
  }
});
