import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { placesOf } from '../../src/commissioning/places.ts';

test('a configuration that is named without its folder is where the command is called', () => {
  const places = placesOf({ config: 'shop/poid.json' }, 'state');
  assert.equal(places.configuration, path.resolve('shop/poid.json'));
  assert.equal(places.certificate, path.resolve('state/tls.pem'));
  assert.equal(places.hostname, '/etc/hostname');
});

test('all of an image is below its root', () => {
  const { configuration, certificate } = placesOf({ config: '/etc/poid/poid.json', root: '/mnt' }, '/var/lib/poid');
  assert.deepEqual([configuration, certificate], ['/mnt/etc/poid/poid.json', '/mnt/var/lib/poid/tls.pem']);
});
