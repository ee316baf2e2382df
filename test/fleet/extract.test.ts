import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ExtractTopic } from '../../src/fleet/documents/extract-topic.ts';
import type { CloudMessage } from '../../src/payment/contracts/cloud-link.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';
import { FleetKey } from './fleet-key.ts';
import { PlayedLink } from './played-link.ts';

const key = new FleetKey();
const responseTopic = 'poid/v1/T-1042/extract/answer/desk-1';
const correlation = Buffer.from('42');

class Stage {
  readonly link = new PlayedLink();
  readonly clock = new ManualClock();
  readonly reported: string[] = [];
  readonly topic: ExtractTopic;
  lines: readonly string[] = ['one', 'two'];

  constructor() {
    this.topic = new ExtractTopic({
      link: this.link,
      recipient: { terminal: 'T-1042', group: undefined, publicKeys: [key.publicKey] },
      answers: 'poid/v1/T-1042/extract/answer',
      clock: this.clock,
      lines: async function* (this: Stage) {
        yield* this.lines;
      }.bind(this),
      onReport: (state, reason) => this.reported.push(`${state} ${reason}`),
    });
  }

  async ask(more: object = {}, head: Partial<CloudMessage> = {}, by = key): Promise<void> {
    const document = {
      kind: 'extract',
      id: 'E-1',
      for: { terminal: 'T-1042' },
      notAfter: '2026-01-01T00:30:00Z',
      what: 'log',
    };
    this.link.send('extract', by.message({ ...document, ...more }, { responseTopic, correlation, ...head }));
    await settled();
  }

  get text(): string {
    return this.link.published.map(({ message }) => Buffer.from(message.payload).toString()).join('');
  }
}

describe('an extract', () => {
  test('comes in parts, the newest lines that fit, to the topic that was asked for', async () => {
    const stage = new Stage();
    stage.lines = Array.from({ length: 3_000 }, (_, at) => `line ${at} ${'x'.repeat(40)}`);
    await stage.ask({ bytesMax: 100_000 });
    const heads = stage.link.published.map(({ topic, message }) => [topic, message.properties]);
    assert.equal(heads.length, 3);
    const leftOut = 3_000 - (stage.text.split('\n').length - 1);
    const common = { id: 'E-1', terminal: 'T-1042', parts: '3', 'left-out': `${leftOut}` };
    assert.deepEqual(heads[0], ['extract/answer/desk-1', { ...common, part: '1' }]);
    assert.deepEqual(heads[2]?.[1], { ...common, part: '3' });
    assert.ok(stage.text.length <= 100_000 && stage.text.length > 99_900, String(stage.text.length));
    assert.match(stage.text, /line 2999 x+\n$/);
    assert.deepEqual(stage.link.published[0]?.message.correlation, correlation);
    assert.ok(stage.link.published.every(({ message }) => message.payload.length <= 49_152));
  });

  test('of nothing is one empty part', async () => {
    const stage = new Stage();
    stage.lines = [];
    await stage.ask();
    assert.deepEqual([stage.link.published.length, stage.text], [1, '']);
  });

  for (const [what, more, head, by] of [
    ['whose time is over', { notAfter: '2025-12-31T23:59:59Z' }],
    ['that is good for longer than an hour', { notAfter: '2026-01-01T01:00:01Z' }],
    ['for another terminal', { for: { terminal: 'T-1043' } }],
    ['to another’s topic', {}, { responseTopic: 'poid/v1/T-1043/call' }],
    ['to a topic that only begins like its own', {}, { responseTopic: `${responseTopic}/../x` }],
    ['to nowhere', {}, { responseTopic: undefined }],
    ['that is larger than allowed', { bytesMax: 5_000_000 }],
    ['by somebody else', {}, {}, new FleetKey()],
  ] as const) {
    test(`${what} is refused`, async () => {
      const stage = new Stage();
      await stage.ask(more, head as Partial<CloudMessage>, by);
      assert.deepEqual(stage.link.published, []);
      assert.match(stage.reported[0] ?? '', /^refused /);
    });
  }

  test('is sent once, however often its request comes', async () => {
    const stage = new Stage();
    await stage.ask();
    await stage.ask();
    assert.equal(stage.link.published.length, 1);
    assert.deepEqual(stage.reported.at(-1), 'refused it was answered');
    await stage.ask({ id: 'E-2' });
    assert.equal(stage.link.published.length, 2);
  });

  test('leaves nothing behind that keeps a process from ending', async () => {
    const stage = new Stage();
    await stage.ask();
    assert.equal(stage.clock.pending, 1);
    await stage.topic.close();
    assert.equal(stage.clock.pending, 0);
  });
});
