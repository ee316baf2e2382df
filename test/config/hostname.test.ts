import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Access } from '../../src/pos/api/access.ts';
import { canonicalHostname } from '../../src/config/settings.ts';
import { loadConfiguration } from '../../src/config/load.ts';

/** Whether a client that calls this name is admitted where it is configured. */
function matches(name: string): boolean {
  const access = new Access({ hostnames: [name], origins: [], networks: [] });
  const request = { socket: { remoteAddress: '127.0.0.1' }, headers: { host: `${name}:8080` } };
  return access.refusal(request as unknown as Parameters<Access['refusal']>[0]) === undefined;
}

for (const [text, name] of [
  ['till.shop.lan', 'till.shop.lan'],
  ['Till.Shop.LAN', 'till.shop.lan'],
  [' till ', 'till'],
  ['till_1.lan', 'till_1.lan'],
  ['till.lan.', 'till.lan.'],
  ['收銀.香港', 'xn--wbv112h.xn--j6w193g'],
  ['xn--wbv112h.xn--j6w193g', 'xn--wbv112h.xn--j6w193g'],
  ['192.168.1.20', '192.168.1.20'],
  ['[FD12::1]', '[fd12::1]'],
] as const) {
  test(`${JSON.stringify(text)} is the name ${name}, which a Host header can have`, () => {
    assert.equal(canonicalHostname(text), name);
    assert.ok(matches(name));
  });
}

for (const text of [
  '',
  ' ',
  '.',
  'http://till.lan',
  'https://till.lan/',
  '//till.lan',
  'till.lan:8080',
  'till.lan:',
  'till.lan/sp',
  'till.lan?x',
  'till.lan#x',
  'user@till.lan',
  '*',
  '*.shop.lan',
  'till lan',
  'till,lan',
  'till..lan',
  '.till.lan',
  'till%2elan',
  'till\\lan',
  'fd12::1',
  '10.1',
  '0x7f.1',
  `${'a'.repeat(64)}.lan`,
  `${'abcdefghi.'.repeat(26)}lan`,
]) {
  test(`${JSON.stringify(text.slice(0, 40))} can never match, and is refused`, async () => {
    assert.equal(canonicalHostname(text), undefined);
    await assert.rejects(loadConfiguration([], { http: { hostnames: ['till', text] } }), ({ message }: Error) => {
      assert.match(message, /http\.hostnames\.1: a host name alone/);
      return true;
    });
  });
}
