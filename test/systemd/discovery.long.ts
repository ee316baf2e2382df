import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { provision } from '../../src/admin/provision-command.ts';
import { currentVersion } from '../../src/observability/version.ts';
import { provisioning } from '../admin/provisioning-input.ts';
import { command } from '../support/programs.ts';

const script = fileURLToPath(new URL('discovery.sh', import.meta.url));

/**
 * The real Avahi, in a network of its own, so that nothing is announced in the network of this machine. Needs root and
 * Debian's avahi-daemon, avahi-utils, iproute2, hostname, curl and openssl: .ci/run installs them.
 */
test('a till finds the terminal by Avahi, with port and fingerprint, also after both have changed', async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-discovery-'));
  t.after(() => rm(dir, { recursive: true }));
  const root = path.join(dir, 'root');
  await mkdir(path.join(root, 'etc/avahi/services'), { recursive: true });
  const input = { ...provisioning, http: { tls: true, port: 8443 }, acquirers: [loopbackAcquirer] };
  const said = await provision(input, 'in.json', { root }, undefined);
  assert.match(said, /its name in the network: terminal-PT-000123\.local/);

  const spaces = ['--net', '--mount', '--uts', '--propagation', 'private', '--fork'];
  const { stdout } = await promisify(execFile)('unshare', [...spaces, script, dir, command]).catch(
    async (error: { stdout: string; stderr: string }) =>
      assert.fail(`${error.stdout}${error.stderr}${await readFile(path.join(dir, 'poid.log'), 'utf8').catch(String)}`),
  );
  const line = (word: string) => new RegExp(`^${word} ?(.*)$`, 'm').exec(stdout)?.[1] ?? assert.fail(stdout);
  const first = seen(line('first'));
  assert.deepEqual(first.place, ['terminal-PT-000123.local', '192.168.77.2', '8443']);
  assert.equal(`sha256 Fingerprint=${first.records.get('fp')}`, line('certificate'));
  assert.deepEqual(
    ['txtvers', 'version', 'path', 'tls', 'pairing'].map((name) => first.records.get(name)),
    ['1', currentVersion(), '/sp/v1', '8443', 'none'],
  );
  assert.match(line('resolved'), /^terminal-PT-000123\.local\t192\.168\.77\.2$/);
  assert.equal(line('own'), '200 other 403');
  const second = seen(line('second'));
  assert.deepEqual([second.place.at(-1), second.records.get('tls')], ['9443', '9443']);
  assert.notEqual(second.records.get('fp'), first.records.get('fp'));
  assert.equal(line('reset'), '');
});

/** What `avahi-browse --resolve --parsable` prints of one service. */
function seen(line: string): { readonly place: readonly string[]; readonly records: ReadonlyMap<string, string> } {
  const [, , , , , , name = '', address = '', port = '', texts = ''] = line.split(';');
  const records = Array.from(
    texts.matchAll(/"([^"=]+)=([^"]*)"/g),
    ([, key = '', value = '']) => [key, value] as const,
  );
  return { place: [name, address, port], records: new Map(records) };
}

const loopbackAcquirer = {
  id: 'EDC',
  protocol: 'iso8583',
  host: '127.0.0.1',
  port: 5000,
  tid: '12345678',
  mid: '123456789012345',
  nii: '003',
  tpdu: '6000030000',
  brands: ['VISA'],
};
