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
import { amountEndings } from '../../../hw-sim/host/iso8583/host.ts';
import { scenarios } from '../../../hw-sim/scenarios.ts';

const text = readFileSync(new URL('../../../docs/simulator.md', import.meta.url), 'utf8');

/** The lines of the table behind a mark, without its head. */
function tableAt(mark: string): string[] {
  const [, after = assert.fail(`no ${mark}`)] = text.split(`<!-- ${mark} -->\n\n`);
  const [table = ''] = after.split('\n\n');
  return table.split('\n').slice(2);
}

test('docs/simulator.md names every switch of the control interface', () => {
  const bodies = { readerFault, scannerFault, octopusFault, printerFault, hostMode, walletHostMode };
  const missing = Object.entries(bodies).flatMap(([body, { shape }]) =>
    Object.keys(shape)
      .filter((field) => !new RegExp(`\`${field}\\b`).test(text))
      .map((field) => `${body}.${field}`),
  );
  assert.deepEqual(missing, []);
});

test('its table of amounts is the simulator’s own', () => {
  assert.deepEqual(
    tableAt('amounts'),
    amountEndings.map(({ cents, what }) => `| 30.${cents} | ${what} |`),
  );
});

test('its table of scenarios is the simulator’s own', () => {
  assert.deepEqual(
    tableAt('scenarios'),
    scenarios.map(({ id, title, look }) => `| \`${id}\` | ${title} | ${look} |`),
  );
});
