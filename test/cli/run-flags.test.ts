import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overridesOf } from '../../src/main/run-flags.ts';

test('the simulator changes where the state is, and nothing else that a configuration says', () => {
  assert.deepEqual(overridesOf({ sim: true }), { stateDir: '.poid/state', http: {}, screen: {} });
  assert.deepEqual(overridesOf({}), { http: {}, screen: {} });
});
