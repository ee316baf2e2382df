import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { mqttFetch } from '../../../src/pos/client/client.ts';

type Properties = Readonly<Record<string, string | string[]>>;
interface Sent {
  readonly properties: { readonly responseTopic: string; readonly correlationData: Uint8Array };
}

/** A broker that answers each call as it is told, in this order. */
class Broker extends EventEmitter {
  readonly connected = true;
  readonly #answers: readonly Properties[];

  constructor(answers: readonly Properties[]) {
    super();
    this.#answers = answers;
  }

  subscribe(_topic: string, _options: object, done: (error: Error | null) => void): void {
    done(null);
  }

  publish(_topic: string, _payload: string, options: object): void {
    const { responseTopic, correlationData } = (options as Sent).properties;
    for (const userProperties of this.#answers)
      this.emit('message', responseTopic, Buffer.from('{}'), { properties: { correlationData, userProperties } });
  }
}

const call = (answers: readonly Properties[], signal?: AbortSignal) =>
  mqttFetch(new Broker(answers), { terminal: 'T-1' })('https://t-1.poid/sp/v1/status', signal ? { signal } : {});

for (const [what, properties] of [
  ['no status', {}],
  ['a status that is no number', { status: 'abc' }],
  ['a status below all', { status: '99' }],
  ['a status above all', { status: '1000' }],
  ['a status without a body', { status: '204' }],
  ['two statuses', { status: ['200', '500'] }],
  ['a header that there is not', { status: '200', 'no header': '1' }],
  ['a header of two lines', { status: '200', signature: 'a\r\nb' }],
] as const satisfies readonly (readonly [string, Properties])[]) {
  test(`${what} is no answer: the terminal's own counts`, async () => {
    const { status } = await call([properties, { status: '404', 'content-type': 'application/json' }]);
    assert.equal(status, 404);
  });
}

test('without an answer the call ends with its signal', async () => {
  const early = new AbortController();
  const unsent = call([], early.signal);
  early.abort(new Error('too early'));
  await assert.rejects(unsent, /too early/);

  const end = new AbortController();
  const answered = call([{ status: 'abc' }], end.signal);
  setImmediate(() => end.abort(new Error('too long')));
  await assert.rejects(answered, /too long/);
});

test('a broker that never confirms the subscription does not hold a call for ever', async () => {
  const broker = new Broker([]);
  broker.subscribe = () => undefined;
  const signal = AbortSignal.timeout(20);
  await assert.rejects(mqttFetch(broker, { terminal: 'T-1' })('https://t-1.poid/', { signal }), {
    name: 'TimeoutError',
  });
});
