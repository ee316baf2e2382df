import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { Recorder } from '../../../hw-sim/session/recorder.ts';
import { TerminalEvents } from '../../../hw-sim/till/terminal-events.ts';

/** A terminal's stream of events, and who listens to it. */
async function staged(t: TestContext, answer: http.RequestListener) {
  const server = http.createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const heard: unknown[] = [];
  const emitter = new EventEmitter();
  const events = new TerminalEvents((event, data) => {
    heard.push([event, data]);
    emitter.emit('sent');
    emitter.emit(`sent ${event}`);
  });
  t.after(() => {
    events.close();
    server.close();
    server.closeAllConnections();
  });
  return { events, heard, emitter, api: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('the terminal’s events', () => {
  it('are heard, also in pieces, and go on behind the last one after a break', async (t) => {
    const asked: unknown[] = [];
    const { events, heard, emitter, api } = await staged(t, ({ url, headers }, response) => {
      asked.push([url, headers['last-event-id']]);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('retry: 1000\n\n:\n\nid: a-1\nevent: state\nda');
      setImmediate(() =>
        asked.length === 1 ? response.end('ta: {"state":"idle"}\n\n') : response.write('ta: {"n":2}\n\n'),
      );
    });
    const second = once(emitter, 'sent').then(() => once(emitter, 'sent'));
    await events.follow(api);
    await second;
    assert.deepEqual(heard, [
      ['state', { state: 'idle' }],
      ['state', { n: 2 }],
    ]);
    assert.deepEqual(asked, [
      ['/sp/v1/events', undefined],
      ['/sp/v1/events', 'a-1'],
    ]);
    assert.deepEqual([events.fault, events.says], [undefined, undefined]);
  });

  it('tell what the terminal does now, and nothing once it is not heard any more', async (t) => {
    let end = (): void => assert.fail('nobody has asked');
    const { events, emitter, api } = await staged(t, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: state\ndata: {"state":"collecting","step":"choosingTip"}\n\n');
      response.write('event: receipt\ndata: {"receiptStatus":"PRINTED"}\n\n');
      end = () => response.destroy();
    });
    const receipt = once(emitter, 'sent receipt');
    await events.follow(api);
    await receipt;
    assert.deepEqual(events.says, { state: 'collecting', step: 'choosingTip' });
    const changed = Promise.withResolvers<void>();
    t.after(events.onChange(() => changed.resolve()));
    end();
    await changed.promise;
    assert.equal(events.says, undefined);
  });

  it('that are refused leave a sentence', async (t) => {
    const { events, heard, api } = await staged(t, (_, response) => void response.writeHead(401).end());
    await events.follow(api);
    assert.deepEqual([events.fault, heard], ['it answers HTTP 401', []]);
  });
});

describe('the recorded events', () => {
  it('name the request of the recording instead of its identity, and are limited', () => {
    const recorder = new Recorder();
    const identity = { posId: 'POS-1', messageId: 'M1' };
    const reported = recorder.noteTill({ method: 'POST', path: 'payment', body: { ...identity, requestAmount: 30 } });
    recorder.noteEvent('state', { state: 'collecting', ...identity, terminalTransactionId: 'T', at: '2026' });
    recorder.noteEvent('state', { state: 'collecting', ...identity, messageId: 'other' });
    reported({ status: 200, body: '{}', ms: 1 });
    assert.deepEqual(
      recorder.events.map(({ event, of, told: data }) => [event, of, data]),
      [
        ['state', 0, { state: 'collecting' }],
        ['state', undefined, { state: 'collecting' }],
      ],
    );
    for (let each = 0; each < 2001; each++) recorder.noteEvent('state', { state: 'idle' });
    for (let each = 0; each < 501; each++) recorder.note('/api/reader/remove', {}, 0);
    assert.deepEqual([recorder.events.length, recorder.noted.length], [2000, 500]);
    assert.deepEqual(recorder.leftOff, { steps: 2, events: 3 });
    recorder.begin(0);
    assert.deepEqual([recorder.events, recorder.leftOff], [[], { steps: 0, events: 0 }]);
  });
});
