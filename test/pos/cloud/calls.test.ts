import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Calls } from '../../../src/pos/cloud/calls.ts';
import type { CloudCall, CloudMessage, SubscribeOptions } from '../../../src/payment/contracts/cloud-link.ts';

const root = 'poid/v1/T-1';
const correlation = Buffer.from('one');
const proper: CloudMessage = {
  payload: Buffer.from('{}'),
  qos: 1,
  expiryS: 30,
  responseTopic: `${root}/answer/till-1`,
  correlation,
  properties: { method: 'POST', target: '/sp/v1/payment', signature: 's', host: 'elsewhere' },
};

function link() {
  const published: [topic: string, message: CloudMessage][] = [];
  let hear: (message: CloudMessage) => void = () => undefined;
  let asked: [topic: string, options: SubscribeOptions | undefined] | undefined;
  return {
    published,
    subscription: () => asked,
    bring: (message: CloudMessage) => hear(message),
    publish: async (topic: string, message: CloudMessage) => void published.push([topic, message]),
    subscribe(topic: string, listener: (message: CloudMessage) => void, options?: SubscribeOptions) {
      asked = [topic, options];
      hear = listener;
      return () => (hear = () => undefined);
    },
  };
}

const answering = (calls: CloudCall[]) => async (call: CloudCall) => {
  calls.push(call);
  return { status: 200, fields: { signature: 'back' }, body: '{"a":1}' };
};

test('a call is answered to the topic and with the correlation that it names', async () => {
  const [wire, heard] = [link(), [] as CloudCall[]];
  const calls = new Calls({ link: wire, root, answer: answering(heard) });
  assert.deepEqual(wire.subscription(), ['call', { skipsRetained: true, acknowledgedOnly: true }]);
  wire.bring(proper);
  await calls.close();
  // Only what carries the signature is passed on: a field such as Host is not the caller's to choose.
  assert.deepEqual(
    heard.map(({ fields }) => fields),
    [{ signature: 's' }],
  );
  const [[topic, message] = assert.fail('no answer')] = wire.published;
  assert.equal(topic, 'answer/till-1');
  assert.deepEqual(message.properties, { status: '200', signature: 'back' });
  assert.equal(Buffer.from(message.payload).toString(), '{"a":1}');
  assert.deepEqual(
    [message.qos, message.expiryS, message.correlation, message.retain],
    [1, 60, correlation, undefined],
  );
});

test('what must not be answered is neither carried out nor answered', async () => {
  const cases: Readonly<Record<string, Partial<CloudMessage>>> = {
    retained: { retain: true },
    "another terminal's topic": { responseTopic: 'poid/v1/T-2/answer/x' },
    'a topic that the terminal alone writes': { responseTopic: `${root}/status` },
    'its own calls': { responseTopic: `${root}/call` },
    'a way out of the topic': { responseTopic: `${root}/answer/x/../../status` },
    'a wildcard': { responseTopic: `${root}/answer/#` },
    'no way back': { responseTopic: '' },
    'no correlation': { correlation: Buffer.alloc(0) },
    'a long correlation': { correlation: Buffer.alloc(65) },
    'no expiry': { expiryS: 0 },
    'a long expiry': { expiryS: 61 },
    'no method': { properties: { target: '/sp/v1/payment' } },
    'another method': { properties: { method: 'DELETE', target: '/sp/v1/payment' } },
    'a target of another form': { properties: { method: 'POST', target: 'http://elsewhere/' } },
  };
  for (const [name, fields] of Object.entries(cases)) {
    const [wire, heard] = [link(), [] as CloudCall[]];
    const calls = new Calls({ link: wire, root, answer: answering(heard) });
    wire.bring({ ...proper, ...fields });
    await calls.close();
    assert.deepEqual([heard.length, wire.published.length], [0, 0], name);
  }
});

test('no more calls are under way at one time than allowed', async () => {
  const wire = link();
  const { promise, resolve } = Promise.withResolvers<void>();
  let heard = 0;
  const answer = async () => {
    heard += 1;
    await promise;
    return { status: 200, fields: {}, body: '' };
  };
  const calls = new Calls({ link: wire, root, answer, atOnceMax: 2 });
  for (let count = 0; count < 5; count++) wire.bring(proper);
  assert.equal(heard, 2);
  resolve();
  await calls.close();
  assert.equal(wire.published.length, 2);
});

test('payments that fill all places leave those of cancel and enquiry', async () => {
  const wire = link();
  const { promise, resolve } = Promise.withResolvers<void>();
  const heard: string[] = [];
  const answer = async ({ target }: CloudCall) => {
    heard.push(target);
    await promise;
    return { status: 200, fields: {}, body: '' };
  };
  const calls = new Calls({ link: wire, root, answer, atOnceMax: 2 });
  const bring = (target: string) => wire.bring({ ...proper, properties: { method: 'POST', target } });
  const targets = ['/sp/v1/payment', '/sp/v1/settlement', '/sp/v1/payment', '/sp/v1/cancel', '/sp/v1/enquiry', '/none'];
  for (const target of targets) bring(target);
  assert.deepEqual(heard, targets.toSpliced(2, 1));
  resolve();
  await calls.close();
});
