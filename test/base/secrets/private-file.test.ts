import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { configurationSchema } from '../../../src/config/configuration.ts';
import { privateKeys, privateState } from '../../../src/base/secrets/private-state.ts';
import type { Log } from '../../../src/observability/log.ts';

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-private-'));
  t.after(() => rm(dir, { recursive: true }));
  return dir;
}

/** Keeps what it was told. */
function keptLog() {
  const reported: string[] = [];
  const log: Log = {
    info: () => undefined,
    warn: (event, { reason } = {}) => reported.push(`${event}: ${reason}`),
    failure: (event) => reported.push(event),
  };
  return { log, reported };
}

async function written(file: string, mode: number): Promise<string> {
  await writeFile(file, '{}');
  await chmod(file, mode);
  return file;
}

async function modeOf(file: string): Promise<string> {
  return ((await stat(file)).mode & 0o777).toString(8);
}

describe('the state directory', () => {
  test('is made for its owner alone, and stays so without a word', async (t) => {
    const state = path.join(await folder(t), 'var/state');
    const { log, reported } = keptLog();
    await privateState(state, log);
    await written(path.join(state, 'tls.pem'), 0o600);
    await privateState(state, log);
    assert.equal(await modeOf(state), '700');
    assert.deepEqual(reported, []);
  });

  test('that others can read is closed, with the secrets in it, and the log says so', async (t) => {
    const state = await folder(t);
    const names = ['pairings.json', 'operator.json', 'tls.pem'];
    for (const name of names) await written(path.join(state, name), 0o644);
    await chmod(state, 0o755);
    const { log, reported } = keptLog();
    await privateState(state, log);
    assert.equal(await modeOf(state), '700');
    for (const name of names) assert.equal(await modeOf(path.join(state, name)), '600');
    assert.equal(reported.length, 4);
    assert.match(reported.join('\n'), /^open to others: \S+ had mode 0755 and was restricted/);
    assert.match(reported.join('\n'), /pairings\.json had mode 0644/);
  });

  test('a device or a FIFO in place of a secret keeps its mode: other programs use it too', async (t) => {
    const state = await folder(t);
    await privateState(state, keptLog().log);
    const fifo = path.join(state, 'fifo');
    execFileSync('mkfifo', ['-m', '666', fifo]);
    await symlink(fifo, path.join(state, 'tls.pem'));
    await privateState(state, keptLog().log);
    assert.equal(await modeOf(fifo), '666');
  });

  test('of others’ making is refused, and left as it is: a folder with other things in it, one like /tmp', async (t) => {
    const { log, reported } = keptLog();
    const other = await folder(t);
    await written(path.join(other, 'somebody’s.txt'), 0o644);
    await chmod(other, 0o755);
    const sticky = await folder(t);
    await chmod(sticky, 0o1777);
    for (const [state, mode] of [
      [other, '755'],
      [sticky, '777'],
    ] as const) {
      await assert.rejects(privateState(state, log), /is open to others \(mode 0\d+\): chmod 700 it/);
      assert.equal(await modeOf(state), mode);
    }
    assert.deepEqual(reported, []);
  });

  test('with another user’s secret that all can read is refused', async (t) => {
    const state = await folder(t);
    await written(path.join(state, 'tls.pem'), 0o644);
    t.mock.method(process as { getuid: () => number }, 'getuid', () => 4_711);
    const { log } = keptLog();
    await assert.rejects(privateState(state, log), /tls\.pem holds a secret.*close it/);
  });
});

describe('a configuration with an acquirer’s key', () => {
  const shop = { name: 'S' };
  const reader = { driver: 'neo2', path: '/dev/r' };
  const acquirer = { id: 'QR', protocol: 'qfpay', url: 'https://h.example', appCode: 'c', clientKey: 'k', tid: '1' };
  const configuration = configurationSchema.parse({ shop, reader, acquirers: [acquirer] });

  /** Below /var/tmp, which everybody can enter, as test directories below a home may not be. */
  async function reachable(t: TestContext): Promise<string> {
    const dir = await mkdtemp('/var/tmp/poid-private-');
    t.after(() => rm(dir, { recursive: true }));
    await chmod(dir, 0o755);
    return dir;
  }

  test('is closed to everybody, and open to its group as it is installed', async (t) => {
    const dir = await reachable(t);
    const { log, reported } = keptLog();
    const [open, installed] = [await written(path.join(dir, 'a'), 0o644), await written(path.join(dir, 'b'), 0o640)];
    await privateKeys([open, installed], configuration, log);
    assert.deepEqual([await modeOf(open), await modeOf(installed)], ['640', '640']);
    assert.equal(reported.length, 1);
  });

  test('is closed for the keys of ECR alone, too', async (t) => {
    const { log, reported } = keptLog();
    const open = await written(path.join(await reachable(t), 'a'), 0o644);
    await privateKeys([open], { acquirers: [], ecr: { tills: [] } }, log);
    assert.deepEqual([await modeOf(open), reported.length], ['640', 1]);
  });

  test('may say what it likes where nobody gets to it, or where it has no key', async (t) => {
    const dir = await reachable(t);
    const { log, reported } = keptLog();
    await mkdir(path.join(dir, 'closed'), { mode: 0o750 });
    await privateKeys([await written(path.join(dir, 'closed/a'), 0o644)], configuration, log);
    const withoutKey = { ...configuration, acquirers: [] };
    await privateKeys([await written(path.join(dir, 'b'), 0o644)], withoutKey, log);
    assert.deepEqual(reported, []);
  });

  test('of another user, that all can read, is refused', async (t) => {
    const file = await written(path.join(await reachable(t), 'a'), 0o644);
    t.mock.method(process as { getuid: () => number }, 'getuid', () => 4_711);
    await assert.rejects(privateKeys([file], configuration, keptLog().log), /holds a secret, is open to others/);
  });
});
