import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  hostMode,
  octopusFault,
  printerFault,
  readerFault,
  scannerFault,
  walletHostMode,
} from '../../../hw-sim/bench/bodies.ts';

test('docs/simulator.md names every switch of the control interface', () => {
  const text = readFileSync(new URL('../../../docs/simulator.md', import.meta.url), 'utf8');
  const bodies = { readerFault, scannerFault, octopusFault, printerFault, hostMode, walletHostMode };
  const missing = Object.entries(bodies).flatMap(([body, { shape }]) =>
    Object.keys(shape)
      .filter((field) => !new RegExp(`\`${field}\\b`).test(text))
      .map((field) => `${body}.${field}`),
  );
  assert.deepEqual(missing, []);
});
