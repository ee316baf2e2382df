import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { placesOf } from '../../src/config/places.ts';
import { keyCredentials } from '../../src/config/keys.ts';

test('the unit takes the keys from where they are stored, by relative names: their absence is no fault', () => {
  const unit = readFileSync(new URL('../../systemd/poid.service', import.meta.url), 'utf8');
  const settings = [...unit.matchAll(/^(LoadCredential\w*)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  assert.deepEqual(settings, [
    ['LoadCredential', keyCredentials.plain],
    ['LoadCredentialEncrypted', keyCredentials.sealed],
  ]);
  // systemd.exec(5): the stores for names without a path.
  const { plainKeys, sealedKeys } = placesOf({}, '/var/lib/poid');
  assert.deepEqual(
    [plainKeys, sealedKeys].map((file) => path.dirname(file)),
    ['/etc/credstore', '/etc/credstore.encrypted'],
  );
});
