import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { ownDirectory, poid } from './poid.ts';

// Files are written as the tests say.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

const card = {
  id: 'EDC',
  protocol: 'iso8583',
  host: '127.0.0.1',
  port: 9,
  tid: '00000001',
  mid: '000000000000001',
  nii: '003',
  tpdu: '6000030000',
  brands: ['VISA'],
};
const wallet = { id: 'QR', protocol: 'qfpay', url: 'http://127.0.0.1:9', appCode: 'c', clientKey: 'k', tid: '1' };
const reader = { driver: 'neo2', path: '/nonexistent/reader' };
const smallest = { shop: { name: 'S' }, reader, acquirers: [card], http: { host: '127.0.0.1' } };

const faults: readonly (readonly [what: string, content: Json, why: RegExp])[] = [
  [
    'an unknown time zone',
    { ...smallest, acquirers: [card, { ...wallet, timeZone: 'Mars/Olympus' }] },
    /at acquirers\.1\.timeZone: a name of the IANA/,
  ],
  [
    'a wallet URL that is none',
    { ...smallest, acquirers: [{ ...wallet, url: 'http://a b' }] },
    /at acquirers\.0\.url: http or https/,
  ],
  [
    'a printer on the reader’s path',
    { ...smallest, printer: { driver: 'escpos', path: reader.path } },
    /at printer\.path: is the device of reader\.path/,
  ],
  [
    'equal host, port and TID',
    { ...smallest, acquirers: [card, { ...card, id: 'CUP' }] },
    /at acquirers\.1\.tid: is that of acquirers\.0/,
  ],
  [
    'an added method under the name of an acquirer',
    { ...smallest, methods: [{ id: 'EDC', protocol: 'gift' }] },
    /at methods\.0\.id: is the name of another acquirer/,
  ],
  [
    'two added methods under one name',
    {
      ...smallest,
      methods: [
        { id: 'GIFT', protocol: 'gift' },
        { id: 'GIFT', protocol: 'gift' },
      ],
    },
    /at methods\.1\.id: is the name of another acquirer/,
  ],
  [
    'an added method that this terminal does not have',
    { ...smallest, methods: [{ id: 'GIFT', protocol: 'gift', port: 1 }] },
    /can't be used: methods\.0\.protocol names no payment method of this terminal/,
  ],
  [
    'files of the cloud link that are not there',
    {
      ...smallest,
      cloud: { url: 'mqtts://127.0.0.1', terminal: 'T-1', ca: '/none.ca', certificate: '/dev/null', key: '/none.key' },
    },
    /can't be used: cloud\.ca: \/none\.ca can't be read; cloud\.key: \/none\.key can't be read\n$/,
  ],
  [
    'a cloud link of a terminal without a name',
    { ...smallest, cloud: { url: 'mqtt://127.0.0.1' } },
    /can't be used: cloud\.terminal is required, because this terminal has no serial number\n$/,
  ],
  [
    'a fleet without a broker',
    { ...smallest, fleet: { publicKeys: [`${'A'.repeat(43)}=`] } },
    /is wrong at fleet: needs cloud: its documents come through that broker\n$/,
  ],
  ['no kinds', { ...smallest, acquirers: [{ ...card, kinds: [] }] }, /at acquirers\.0\.kinds: /],
  ['a state directory that is a file', { ...smallest, stateDir: 'poid.json' }, /the state directory can't be used: /],
];

describe('poid run with a configuration that can’t be used', { concurrency: 2 }, () => {
  for (const [what, content, why] of faults) {
    test(`${what}: a sentence that says where, and exit code 1`, async (t) => {
      const dir = await ownDirectory(t);
      const file = path.join(dir, 'poid.json');
      const stateDir = content.stateDir === undefined ? path.join(dir, 'state') : file;
      writeFileSync(file, JSON.stringify({ ...content, stateDir }));
      const { code, out, err } = await poid(t, 'run', '--config', file, '--port', '0', '--screen-port', '0');
      assert.equal(code, 1);
      assert.equal(out, '');
      assert.match(err, why);
      // The devices begin at once, and may have been logged before.
      assert.match(err.replaceAll(/^\{.*\}\n/gm, ''), /^poid: [^\n]*\n$/, 'one sentence, and no stack');
    });
  }

  test('a state directory that is not this program’s own and open to others: refused, and left as it is', async (t) => {
    const dir = await ownDirectory(t);
    const [file, stateDir] = [path.join(dir, 'poid.json'), path.join(dir, 'home')];
    mkdirSync(stateDir, { mode: 0o755 });
    writeFileSync(path.join(stateDir, 'letter.txt'), '');
    writeFileSync(file, JSON.stringify({ ...smallest, stateDir }));
    const { code, err } = await poid(t, 'run', '--config', file, '--port', '0', '--screen-port', '0');
    assert.equal(code, 1);
    assert.match(err, /^poid: the state directory can't be used: \S+ is open to others \(mode 0755\)[^\n]*\n$/);
  });
});
