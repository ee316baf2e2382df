import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StateFileName } from '../../../src/base/domain/written-files.ts';
import { ConfigurationStore } from '../../../src/fleet/documents/configuration-store.ts';
import { FleetKeys, readDroppedKeys } from '../../../src/fleet/documents/fleet-keys.ts';
import { KeyCounterFile } from '../../../src/hosts/key-counters/key-counter-file.ts';
import { OperatorPassword } from '../../../src/operator/password.ts';
import { AcquirersInUse } from '../../../src/payment/holds/acquirers-in-use.ts';
import { PairedKeys } from '../../../src/pos/pairing/paired-keys.ts';
import { json, jsonNests, jsonTokens, text } from '../material.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, type Target } from '../target.ts';

const clock = {
  now: () => new Date(0),
  elapsedMs: () => 0,
  setTimeout: () => undefined,
  clearTimeout: () => undefined,
};
const secret = 'ab'.repeat(32);
const publicKey = Buffer.alloc(32, 7).toString('base64');
const ksn = 'FFFF9876543210E00000';
const at = '2026-01-01T00:00:00.000Z';
const dropped = { key: publicKey, version: 2, at };
const seeds = [
  [{ posId: 'POS-1', keyId: 'k1', key: secret, pairedAt: at, following: [{ keyId: 'k2', key: secret, createdS: 1 }] }],
  { salt: 'ab'.repeat(16), hash: secret, failures: 3, failedAt: 1 },
  { good: { version: 1, digest: 'd', configuration: {}, signed: { payload: 'AA==', signature: 'A' } }, abandoned: 2 },
  { terminal: 'T-1', own: [publicKey], keys: [publicKey], version: 1 },
  { counters: { [ksn]: { reserved: 64 } }, restoredAt: at },
  { acquirers: [{ id: 'EDC', protocol: 'iso8583', host: '127.0.0.1', port: 9_000 }] },
  dropped,
];

const journal = { restored: undefined, keyCounter: async () => undefined, noteKeyCounter: async () => undefined };

/** How each file of the state directory is read. */
const readers: readonly (readonly [StateFileName, (dir: string) => Promise<unknown>])[] = [
  ['pairings.json', (dir) => new PairedKeys(dir).all()],
  ['operator.json', (dir) => new OperatorPassword(dir, clock).isSet()],
  ['fleet.json', async (dir) => (await ConfigurationStore.open(path.join(dir, 'fleet.json'), 'T-1')).kept],
  ['fleet-keys.json', async (dir) => (await FleetKeys.open(dir, 'T-1', [publicKey])).inForce],
  ['fleet-keys.dropped', readDroppedKeys],
  ['key-counters.json', async (dir) => (await new KeyCounterFile(dir, journal).open(ksn)).fault],
  ['acquirers.json', async (dir) => (await AcquirersInUse.open(dir)).fault],
];

let dir: string | undefined;

/** Damaged files of the state directory: each is read, or its reader reports that it can't be. */
export const stateFiles: Target = {
  name: 'state-files',
  share: 1,
  inputs: hostile({
    seeds: [...seeds.map(json), text(`\n${JSON.stringify(dropped)}\n\n{"key":"torn`)],
    tokens: [...jsonTokens, ...[`"${secret}"`, `"${publicKey}"`, '\n', '"reserved":', '"failures":'].map(text)],
    nests: jsonNests,
  }),
  async check(input) {
    dir ??= mkdtempSync(path.join(tmpdir(), 'poid-fuzz-state-'));
    // One of them for each input: the disk is slow.
    const [name, read] = readers[input.reduce((sum, byte) => sum + byte, 0) % readers.length] ?? assert.fail();
    writeFileSync(path.join(dir, name), input, { mode: 0o600 });
    try {
      await read(dir);
    } catch (error) {
      assert.match((error as Error).message, / (?:holds no valid keys|is not an operator's password)/, name);
      assertSilent((error as Error).message);
    }
  },
  async close() {
    if (dir !== undefined) rmSync(dir, { recursive: true });
  },
};
