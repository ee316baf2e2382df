import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localName, terminalHostname } from '../../../src/base/domain/local-name.ts';

test('a serial number makes a host name, as the image makes it', () => {
  for (const [serialNumber, name] of [
    ['PT-000123', 'terminal-PT-000123'],
    ['A.b_c', 'terminal-A-b-c'],
    ['1-', 'terminal-1'],
    ['x'.repeat(40), `terminal-${'x'.repeat(32)}`],
  ] as const)
    assert.equal(terminalHostname(serialNumber), name);
});

test('a host name has one name in .local', () => {
  for (const [hostname, name] of [
    ['terminal-PT-000123', 'terminal-pt-000123.local'],
    ['till.shop.example', 'till.local'],
    ['localhost', undefined],
    ['', undefined],
    ['-a', undefined],
    ['a_b', undefined],
    ['x'.repeat(64), undefined],
  ] as const)
    assert.equal(localName(hostname), name);
});
