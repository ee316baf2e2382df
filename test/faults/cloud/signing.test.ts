import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signatureOf } from './signing.ts';

test('the till of the world signs as the example of RFC 9421, B.2.5 does', () => {
  const secret = Buffer.from(
    'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==',
    'base64',
  );
  const lines = [
    ['"date"', 'Tue, 20 Apr 2021 02:07:55 GMT'],
    ['"@authority"', 'example.com'],
    ['"content-type"', 'application/json'],
  ] as const;
  const parameters = '("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"';
  assert.equal(signatureOf(secret, lines, parameters), 'pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=');
});
