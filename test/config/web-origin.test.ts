import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWebOrigin } from '../../src/config/settings.ts';

test('an origin is taken as a browser sends it, and nothing else', () => {
  for (const origin of [
    'https://pos.example',
    'https://pos.example:8443',
    'http://192.168.1.20:3000',
    'http://[fd00::1]:3000',
    'https://xn--fiq228c.example',
    'capacitor://localhost',
    'chrome-extension://abcdefghijklmnop',
  ]) {
    assert.ok(isWebOrigin(origin), origin);
  }
  for (const other of [
    '*',
    'https://*',
    'https://*.pos.example',
    'null',
    '',
    'pos.example',
    'https://pos.example/',
    'https://pos.example/till',
    'https://pos.example?',
    'https://pos.example:443',
    'http://pos.example:80',
    'https://POS.example',
    'HTTPS://pos.example',
    'https://user@pos.example',
    'https://pos.example#',
    'https://pos example',
    'file://',
    'file://localhost',
    'http://256.1.1.1',
  ]) {
    assert.ok(!isWebOrigin(other), other);
  }
});
