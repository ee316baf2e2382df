import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Configuration, configurationSchema } from '../../src/config/configuration.ts';
import { longestPaymentMs } from '../../src/config/longest-payment.ts';
import { resolveKeys } from '../../src/config/keys.ts';
import { sampleConfiguration } from '../../src/config/sample.ts';
import { dialectFileSchema } from '../../src/hosts/iso8583/dialects/check.ts';

const bank = dialectFileSchema.parse(
  JSON.parse(readFileSync(new URL('../../fixtures/dialects/second-bank.json', import.meta.url), 'utf8')),
);
const { configuration } = sampleConfiguration(['EDC']);
const sample = configurationSchema.parse(resolveKeys({ ...configuration }, [], { keys: 'unread' }));
const times = { connectTimeoutMs: 1_000, replyTimeoutMs: 20_000 };
const keyEncryptingKey = '0123456789ABCDEFFEDCBA9876543210';

/** How much longer a payment may take than with the built-in dialect, which has no sign-on and no key exchange. */
function addedMs(changed: object): number {
  const [edc] = sample.acquirers;
  const of = (more: object) =>
    longestPaymentMs({ ...sample, acquirers: [{ ...edc, ...times, ...more }] } as unknown as Configuration);
  return of(changed) - of({});
}

test('a payment may wait for a sign-on and an exchange of keys, at each site', () => {
  assert.ok(bank.messages.signOn && bank.messages.keyExchange);
  const session = { mac: { key: { session: { keyEncryptingKey } } } };
  const others = { ...bank.messages, signOn: undefined };
  assert.equal(addedMs({ dialectContent: bank }), 20_000);
  assert.equal(addedMs({ dialectContent: bank, ...session }), 40_000);
  assert.equal(addedMs({ dialectContent: { ...bank, messages: others }, ...session }), 20_000);
  assert.equal(addedMs({ dialectContent: bank, mac: { key: { fixed: keyEncryptingKey } } }), 20_000, 'no exchange');
  const sites = [
    { host: 'one.example', port: 1 },
    { host: 'two.example', port: 2 },
  ];
  assert.equal(addedMs({ dialectContent: bank, ...session, sites }), 2 * 40_000 + 1_000);
});
