import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { systemClock } from '../../../src/base/ports/clock.ts';
import { sleepMs } from '../../../src/fleet/updates/ddi.ts';
import { DdiClient, DdiError } from '../../../src/fleet/updates/ddi-client.ts';
import type { HttpExchange, HttpRequest } from '../../../src/fleet/updates/http-exchange.ts';
import { ManualClock, settled } from '../../support/manual-clock.ts';

const address = {
  url: 'https://hawkbit.example/device',
  tenant: 'DEFAULT',
  controllerId: 'T 1',
  authorization: 'TargetToken secret',
};
const clock = { ...systemClock, now: () => new Date(0) };

/** Answers every request with this text. */
function played(text: string): { http: HttpExchange; asked: HttpRequest[] } {
  const asked: HttpRequest[] = [];
  const body = async function* () {
    yield Buffer.from(text);
  };
  const send: HttpExchange['send'] = async (request) => {
    asked.push(request);
    return { status: 200, headers: {}, body: body(), drop: () => undefined };
  };
  return { http: { send }, asked };
}

test('asks below its path, with its token; a link that leads elsewhere is a fault, and nobody else gets the token', async () => {
  const href = 'https://elsewhere.example/DEFAULT/controller/v1/T/deploymentBase/1';
  const { http, asked } = played(JSON.stringify({ _links: { deploymentBase: { href } } }));
  const client = new DdiClient(address, http, clock);
  await assert.rejects(client.poll(), (error: DdiError) => error instanceof DdiError && error.code === 'malformed');
  assert.equal(asked[0]?.url.href, 'https://hawkbit.example/device/DEFAULT/controller/v1/T%201');
  assert.equal(asked[0]?.headers['Authorization'], 'TargetToken secret');
  assert.deepEqual(client.credentialsFor(new URL('https://cdn.example/poid.raucb')), {});
  assert.deepEqual(client.credentialsFor(new URL('http://hawkbit.example/poid.raucb')), {});
  assert.deepEqual(client.credentialsFor(new URL('https://hawkbit.example/x')), {
    Authorization: 'TargetToken secret',
  });
});

test('feedback goes beside the link, without its query, in hawkBit’s form', async () => {
  const { http, asked } = played('');
  const link = new URL('https://hawkbit.example/DEFAULT/controller/v1/T/deploymentBase/8?c=-2127183556');
  const details = Array.from({ length: 30 }, () => 'x'.repeat(1_000));
  await new DdiClient(address, http, clock).sendFeedback(link, { execution: 'closed', finished: 'failure', details });
  assert.equal(asked[0]?.url.href, 'https://hawkbit.example/DEFAULT/controller/v1/T/deploymentBase/8/feedback');
  const { timestamp, status } = JSON.parse(asked[0]?.body ?? '') as {
    timestamp: number;
    status: Record<string, unknown>;
  };
  assert.deepEqual([timestamp, status['execution'], status['result']], [0, 'closed', { finished: 'failure' }]);
  assert.deepEqual([(status['details'] as string[]).length, (status['details'] as string[])[0]?.length], [20, 512]);
});

test('an answer that is none of DDI, and one without end', async () => {
  for (const text of ['', '[]', '{"_links":{"deploymentBase":{}}}', 'x'.repeat(1_048_577)]) {
    await assert.rejects(new DdiClient(address, played(text).http, clock).poll(), DdiError);
  }
  assert.deepEqual(['00:05:00', '12:00:00', '5', '00:60:00', undefined].map(sleepMs), [
    300_000,
    43_200_000,
    undefined,
    undefined,
    undefined,
  ]);
});

test('an answer that comes byte by byte has an end', async () => {
  const manual = new ManualClock();
  const body = new PassThrough();
  const drop = () => void body.destroy();
  const send: HttpExchange['send'] = async () => ({ status: 200, headers: {}, body, drop });
  const polled = new DdiClient(address, { send }, manual).poll();
  polled.catch(() => undefined);
  await settled();
  for (let second = 0; second < 60; second++) {
    assert.equal(body.destroyed, false);
    body.write(' ');
    await manual.advance(1_000);
  }
  await assert.rejects(polled, { code: 'unreachable', message: 'an answer that takes more than 60000 ms' });
  assert.equal(manual.pending, 0);
});
