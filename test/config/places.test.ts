import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { placesOf } from '../../src/config/places.ts';

test('a configuration that is named without its folder is where the command is called', () => {
  const places = placesOf({ config: 'shop/poid.json' }, 'state');
  assert.equal(places.configuration, path.resolve('shop/poid.json'));
  assert.equal(places.stateDir, path.resolve('state'));
  assert.equal(places.serialNumber, path.resolve('shop/serial-number'));
  assert.equal(places.hostname, '/etc/hostname');
});

test('all of an image is below its root', () => {
  const { configuration, audit } = placesOf({ config: '/etc/poid/poid.json', root: '/mnt' }, '/var/lib/poid');
  assert.deepEqual([configuration, audit], ['/mnt/etc/poid/poid.json', '/mnt/var/lib/poid-admin/audit.jsonl']);
});
