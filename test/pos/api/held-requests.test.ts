import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GivenTurns } from '../../base/http/given-turns.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RawClient, wire } from './raw-client.ts';
import { sale, served } from './served.ts';

const timeouts = { headersMs: 40, requestMs: 50, idleMs: 5_000, unreadMs: 15_000, checkMs: 5 };

test('a payment whose bytes wait here for longer than a client may take is not refused', async (t) => {
  const [turns, clock] = [new GivenTurns(), new ManualClock()];
  const { terminal, ...api } = await served(t, { timeouts, turns, clock });
  const client = new RawClient(api);
  client.socket.write(wire(JSON.stringify(sale)));
  await turns.waiting(1);
  clock.pass(10_000);
  // Node's limit is over: the request has more time now.
  while (clock.pending === 0) await new Promise(setImmediate);
  turns.give();
  await turns.waiting(1);
  turns.give();
  assert.match(await client.until(/\}$/), /"reason":"deviceAbsent"/);
  assert.equal(terminal.paid.length, 1);
});

test('a client that is silent is refused as before', async (t) => {
  const api = await served(t, { timeouts, clock: new ManualClock() });
  const client = new RawClient(api);
  client.socket.write('POST /sp/v1/payment HTTP/1.1\r\nHost: ');
  assert.match(await client.until(/\}$/), /^HTTP\/1\.1 408 .*"reason":"requestTimeout"/s);
});
