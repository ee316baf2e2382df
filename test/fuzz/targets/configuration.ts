import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import assert from 'node:assert/strict';
import { checkOptions } from '../../../src/hosts/qfpay/options.ts';
import { Access } from '../../../src/pos/api/access.ts';
import { type Configuration, configurationSchema } from '../../../src/config/configuration.ts';
import { ConfigurationError, loadConfiguration } from '../../../src/config/load.ts';
import { knownWallets } from '../../../src/methods/wallet/settings/profiles.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import { json, jsonNests, jsonTokens, text } from '../material.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, canary, type Target } from '../target.ts';

const card = {
  id: 'EDC',
  protocol: 'iso8583',
  host: '127.0.0.1',
  port: 9000,
  tid: '00000001',
  mid: '000000000000001',
  nii: '003',
  tpdu: '6000030000',
  brands: ['VISA'],
};
const wallet = {
  id: 'QR',
  protocol: 'qfpay',
  url: 'https://127.0.0.1/',
  appCode: 'A',
  clientKey: 'K',
  tid: 'T1',
  timeZone: 'Asia/Hong_Kong',
  scanned: { ALIPAY: '800108' },
};
const smallest = { shop: { name: 'Shop' }, reader: { driver: 'neo2', path: '/dev/reader' }, acquirers: [card] };
const seeds = [
  smallest,
  {
    ...smallest,
    acquirers: [card, wallet],
    http: { hostnames: ['till'], origins: ['http://till'], networks: ['203.0.113.0/24'] },
  },
  {
    ...smallest,
    reader: { driver: 'mms', hid: { vendorId: '0801', productId: '2020' } },
    printer: { driver: 'escpos', path: '/p' },
  },
  {
    ...smallest,
    receipt: { printedByPosId: { 'POS-1': 'pos' } },
    settlement: { dailyAt: '23:30' },
    timeouts: { collectMs: 1 },
  },
];
const words = [
  ...Array.from({ length: 4 }, () => `"${canary}"`),
  ...Array.from({ length: 4 }, () => '{"stateDir":"/x"}'),

  '"http":{',
  '"networks":["',
  '"::ffff:1.2.3.4/120"',
  '"1.2.3.4/33"',
  '"fe80::1%eth0/64"',
  '"url":',
  '"Mars/Olympus"',
  '"http://a/?b#c"',
];

/** One file, written again and again. */
let dir: string | undefined;

export const configurationFiles: Target = {
  name: 'configuration',
  share: 4,
  inputs: hostile({ seeds: seeds.map(json), tokens: [...jsonTokens, ...words.map(text)], nests: jsonNests }),
  async check(input) {
    dir ??= mkdtempSync(path.join(tmpdir(), 'poid-fuzz-'));
    const file = path.join(dir, 'poid.json');
    writeFileSync(file, input);
    let configuration: Configuration;
    try {
      configuration = await loadConfiguration([file], { logLevel: 'info' });
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      assert.ok(error.message.startsWith(`the configuration ${file} `));
      // Names of fields are told, so that they can be found; values never.
      if (!keysOf(input).some((key) => key.includes(canary))) assertSilent(error.message);
      return;
    }
    assert.deepEqual(
      Object.keys(configuration).sort(),
      Object.keys(configurationSchema.shape)
        .filter((key) => Object.hasOwn(configuration, key))
        .sort(),
    );
    assert.ok(
      keysOf(input).every((key) => key !== '__proto__'),
      'a field that is none was taken',
    );
    // What the schema takes, the parts take: or they say why without the value.
    quietly(() => new Access(configuration.http));
    for (const acquirer of configuration.acquirers) {
      if (acquirer.protocol === 'qfpay')
        quietly(() => checkOptions({ ...acquirer, wallets: knownWallets(configuration), id: acquirerId(acquirer.id) }));
    }
  },
  async close() {
    if (dir !== undefined) rmSync(dir, { recursive: true });
  },
};

function quietly(build: () => unknown): void {
  try {
    build();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    assertSilent(error.message);
  }
}

/** Names of fields, however deep. */
function keysOf(input: Uint8Array): string[] {
  const keys: string[] = [];
  try {
    JSON.parse(Buffer.from(input).toString(), (key, value: unknown) => {
      keys.push(key);
      return value;
    });
  } catch {
    return keys;
  }
  return keys;
}
