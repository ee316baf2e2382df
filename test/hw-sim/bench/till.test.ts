import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { z } from 'zod';
import { TerminalAddress } from '../../../hw-sim/till/terminal-address.ts';
import { type BenchInUse, benchInUse } from './bench-in-use.ts';

const answerShape = z.strictObject({ status: z.number(), body: z.string(), ms: z.number() });

/** What is listening where a terminal would be, without events. */
async function terminal(t: TestContext, answer: http.RequestListener): Promise<string> {
  const listener: http.RequestListener = (request, response) => {
    if (request.url === '/sp/v1/events') response.writeHead(404).end();
    else answer(request, response);
  };
  const server = http.createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function sendAddress(bench: BenchInUse, api: string): Promise<void> {
  assert.equal((await bench.call('POST', '/api/terminal', { api })).status, 200);
}

describe('the till of the page', () => {
  it('calls the terminal as any till does, and its wire is among the wires', async (t) => {
    const bench = await benchInUse(t);
    const asked: unknown[] = [];
    const api = await terminal(t, (request, response) => {
      void request.toArray().then((chunks: Buffer[]) => {
        asked.push(request.method, request.url, request.headers['content-type'], Buffer.concat(chunks).toString());
        response.writeHead(409, { 'content-type': 'application/json' }).end('{"responseResult":"ERROR"}');
      });
    });
    await sendAddress(bench, api);
    const body = { posId: 'POS-1', transactionType: 'SALE', requestAmount: 30, currency: 'HKD' };
    const reply = await bench.call('POST', '/api/till/call', { path: 'payment', body });
    const { status, body: text } = answerShape.parse(reply.json());
    assert.deepEqual([reply.status, status, text], [200, 409, '{"responseResult":"ERROR"}']);
    assert.deepEqual(asked, ['POST', '/sp/v1/payment', 'application/json', JSON.stringify(body)]);
    const { frames } = z
      .object({ frames: z.array(z.object({ kind: z.string(), direction: z.string(), summary: z.string() })) })
      .parse((await bench.call('GET', '/api/wires?line=till')).json());
    assert.deepEqual(
      frames.filter(({ kind }) => kind === 'frame').map(({ direction, summary }) => `${direction} ${summary}`),
      ['toTerminal POST /sp/v1/payment · SALE · HKD 30', 'fromTerminal HTTP 409 · ERROR'],
    );
  });

  it('says in a sentence that no terminal is there', async (t) => {
    const bench = await benchInUse(t);
    const api = await terminal(t, (request) => request.socket.destroy());
    await sendAddress(bench, api);
    const reply = await bench.call('POST', '/api/till/call', { method: 'GET', path: 'status' });
    assert.equal(reply.status, 502);
    const { error } = z.object({ error: z.string() }).parse(reply.json());
    assert.match(error, /^no terminal answers at http:/);
  });

  it('calls this machine alone, and the terminal’s interface alone', async (t) => {
    const bench = await benchInUse(t);
    for (const api of [
      'http://192.168.1.5:8080',
      'http://127.0.0.1.evil.example:80',
      'http://127.0.0.1:8080/x',
      'file:///etc',
    ]) {
      assert.equal((await bench.call('POST', '/api/terminal', { api })).status, 400, api);
    }
    for (const path of ['../desk', 'payment/../../desk', '/status', 'http://evil.example']) {
      assert.equal((await bench.call('POST', '/api/till/call', { path })).status, 400, path);
    }
  });
});

describe('where the terminal is', () => {
  it('is at the usual ports until it says so; only who runs it says that it may be framed', () => {
    const address = new TerminalAddress();
    const usual = { api: 'http://127.0.0.1:8080', screen: 'http://127.0.0.1:8081', isReported: false, framed: false };
    assert.deepEqual(address.state(), usual);
    let changes = 0;
    address.onChange(() => (changes += 1));
    const given = { api: 'http://127.0.0.1:1234', screen: 'http://127.0.0.1:1235' };
    address.set(given);
    assert.deepEqual(address.state(), { ...given, isReported: true, framed: false });
    address.take({ terminal: given });
    assert.deepEqual(address.state(), { ...given, isReported: true, framed: true });
    address.take({ terminal: { api: 'http://192.168.1.5:8080' } });
    address.take('terminal');
    assert.deepEqual([address.state().api, changes], [given.api, 2]);
  });
});
