import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { vector } from '../wires/shown-fields.ts';
import { type BenchInUse, benchInUse } from './bench-in-use.ts';

const frame = z.object({
  id: z.number(),
  at: z.iso.datetime(),
  line: z.string(),
  protocol: z.string(),
  connection: z.number(),
  direction: z.enum(['fromTerminal', 'toTerminal']),
  kind: z.string(),
  length: z.number(),
  summary: z.string(),
});
const list = z.object({ lines: z.array(z.object({ name: z.string(), protocol: z.string() })), frames: z.array(frame) });
const whole = frame.extend({
  bytes: z.string(),
  fields: z.array(z.looseObject({ name: z.string(), value: z.string() })),
});

async function framesOf(bench: BenchInUse, query = '') {
  return list.parse((await bench.call('GET', `/api/wires${query}`)).json()).frames;
}

/** A ping over the pty, as a driver sends it, and the answer. */
async function ping(bench: BenchInUse): Promise<void> {
  const line = bench.line('reader');
  line.write('5669564f746563683200 1801 0000 b3cd');
  await line.read(16);
}

describe('GET /api/wires', () => {
  it('lists what crossed a pty, and one frame field by field', async (t) => {
    const bench = await benchInUse(t);
    await ping(bench);
    const { lines } = list.parse((await bench.call('GET', '/api/wires')).json());
    assert.deepEqual(
      lines.map(({ name }) => name),
      ['reader', 'printer', 'scanner', 'octopus', 'EDC', 'CUP', 'EPS', 'QR', 'till'],
    );
    const [command, answer, ...others] = await framesOf(bench, '?line=reader');
    assert.deepEqual(
      [command?.summary, command?.direction, command?.length, answer?.summary, answer?.direction, others.length],
      ['18-01 ping', 'fromTerminal', 16, '18/00 ping: OK', 'toTerminal', 0],
    );
    const { bytes, fields } = whole.parse((await bench.call('GET', `/api/wires/${command?.id}`)).json());
    assert.equal(bytes, '5669564F74656368320018010000B3CD');
    assert.deepEqual(fields[1], { name: 'command', value: '18', meaning: 'ping', at: 10, length: 1 });
    assert.deepEqual(await framesOf(bench, `?after=${answer?.id}`), []);
  });

  it('has a card host’s messages, their connection, and the answers', async (t) => {
    const bench = await benchInUse(t);
    const socket = net.connect(bench.hostPorts.get('EDC') ?? 0, '127.0.0.1');
    t.after(() => socket.destroy());
    const reversal = vector('messages/terminal.json', 'reversal of sale');
    socket.write(reversal);
    await once(socket, 'data');
    const [opened, request, answer] = await framesOf(bench, '?line=EDC');
    assert.deepEqual([opened?.kind, request?.kind, request?.connection], ['opened', 'frame', 1]);
    assert.equal(request?.summary, '0400 reversal · purchase · HKD 30.00 · STAN 000123');
    assert.match(answer?.summary ?? '', /^0410 reversal answer · .* · STAN 000123 · 30 format error$/);
  });

  it('has the wallets’ HTTP in both directions', async (t) => {
    const bench = await benchInUse(t);
    const request = http.request({ port: bench.walletPort, method: 'POST', path: '/trade/v1/query', agent: false });
    request.end('txamt=3000');
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.resume();
    await once(response, 'end');
    const frames = (await framesOf(bench, '?line=QR')).filter(({ kind }) => kind === 'frame');
    assert.deepEqual(
      frames.map(({ summary }) => summary),
      ['POST enquiry · 30.00', 'HTTP 200 · 1103 format error'],
    );
  });

  it('refuses a line, a number and a parameter that are none', async (t) => {
    const bench = await benchInUse(t);
    assert.equal((await bench.call('GET', '/api/wires?line=DHL')).status, 404);
    assert.equal((await bench.call('GET', '/api/wires?after=x')).status, 400);
    assert.equal((await bench.call('GET', '/api/wires?lien=EDC')).status, 400);
    assert.equal((await bench.call('GET', '/api/wires/77')).status, 404);
  });

  it('is exported as JSON lines, and cleared', async (t) => {
    const bench = await benchInUse(t);
    await ping(bench);
    const exported = await bench.call('GET', '/api/wires.jsonl?line=reader');
    assert.equal(exported.headers['content-type'], 'application/jsonl');
    const lines = exported.body.toString().trimEnd().split('\n');
    const [command] = lines.map((line) => whole.parse(JSON.parse(line)));
    assert.deepEqual([lines.length, command?.bytes], [2, '5669564F74656368320018010000B3CD']);
    assert.equal((await bench.call('DELETE', '/api/wires')).status, 200);
    assert.deepEqual(await framesOf(bench), []);
    await ping(bench);
    assert.equal((await framesOf(bench)).length, 2);
    await bench.call('POST', '/api/reset', {});
    assert.deepEqual(await framesOf(bench), []);
  });
});

describe('GET /api/wires/events', () => {
  it('sends what is kept, and then what comes, each frame once', async (t) => {
    const bench = await benchInUse(t);
    await ping(bench);
    const request = http.get({ port: bench.port, path: '/api/wires/events?line=reader', agent: false });
    t.after(() => request.destroy());
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    let text = '';
    const seen = () =>
      [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, data = '']) => z.array(frame).parse(JSON.parse(data)));
    const until = async (count: number) => {
      while (seen().length < count) text += String(((await once(response, 'data')) as [Buffer])[0]);
      return seen().map(({ summary }) => summary);
    };
    const both = ['18-01 ping', '18/00 ping: OK'];
    assert.deepEqual(await until(2), both);
    await ping(bench);
    assert.deepEqual(await until(4), [...both, ...both]);
  });
});
