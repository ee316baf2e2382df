import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { checkRights } from '../../src/admin/doctor/rights.ts';
import { checkZone } from '../../src/admin/doctor/doctor.ts';
import type { Configuration } from '../../src/config/configuration.ts';

const isRoot = process.getuid?.() === 0;
const skip = isRoot ? false : 'only root can look with the rights of another user';
const [uid, gid, dialout] = [64_101, 64_102, 64_103];
const rights = { uid, groups: new Set([gid, dialout]) };

let dir: string;
let places: { configuration: string; stateDir: string };
let cache: string;
let node: string;
let cloudKey: string;
let configuration: Configuration;

/** As the packages leave them: a configuration of root that the group reads, and what is the service's own. */
beforeEach(() => {
  // Every user may enter this directory, unlike that of a test's run.
  dir = mkdtempSync('/tmp/poid-rights-');
  chmodSync(dir, 0o755);
  places = { configuration: path.join(dir, 'etc/poid.json'), stateDir: path.join(dir, 'state') };
  cache = path.join(dir, 'cache');
  node = path.join(dir, 'ttyACM0');
  cloudKey = path.join(dir, 'etc/broker.pem');
  for (const each of [path.join(dir, 'etc'), places.stateDir, cache]) mkdirSync(each);
  const own = [
    path.join(places.stateDir, 'journal.sqlite'),
    path.join(places.stateDir, 'tls.pem'),
    path.join(cache, 'code'),
  ];
  for (const each of [places.configuration, cloudKey, node, ...own]) writeFileSync(each, '', { mode: 0o640 });
  writeFileSync(path.join(places.stateDir, 'audit.jsonl'), '', { mode: 0o600 });
  configuration = { reader: { driver: 'neo2', path: node }, cloud: { key: cloudKey } } as unknown as Configuration;
  if (!isRoot) return;
  for (const each of [places.configuration, cloudKey]) chownSync(each, 0, gid);
  chownSync(node, 0, dialout);
  chmodSync(node, 0o660);
  for (const each of [places.stateDir, cache, ...own]) chownSync(each, uid, gid);
  for (const each of [places.stateDir, cache]) chmodSync(each, 0o700);
});
afterEach(() => rmSync(dir, { recursive: true }));

const check = () => checkRights(configuration, places, rights, cache);

describe('poid doctor: the rights of the service’s user', { skip }, () => {
  test('as they are installed', () => {
    const finding = check();
    assert.equal(finding.verdict, 'PASS', finding.detail);
  });

  for (const [what, close, remedy] of [
    ['the configuration', () => chmodSync(places.configuration, 0o600), /chmod 640/],
    ['the directory of the configuration', () => chmodSync(path.join(dir, 'etc'), 0o700), /chmod 755/],
    ['the state directory', () => chownSync(places.stateDir, 0, 0), /chown poid:poid \S+state/],
    [
      'a journal that a command of root has made',
      () => chownSync(path.join(places.stateDir, 'journal.sqlite'), 0, 0),
      /chown/,
    ],
    ['a journal that can only be read', () => chmodSync(path.join(places.stateDir, 'journal.sqlite'), 0o440), /chown/],
    [
      'the key of the certificate',
      () => chownSync(path.join(places.stateDir, 'tls.pem'), 0, 0),
      /chown poid:poid \S+tls.pem/,
    ],
    ['the key for the broker', () => chmodSync(cloudKey, 0o600), /chgrp poid \S+broker.pem/],
    ['the device', () => chmodSync(node, 0o600), /dialout or poid/],
    ['a device of another group', () => chownSync(node, 0, 0), /dialout or poid/],
    ['a device that can only be read', () => chmodSync(node, 0o640), /dialout or poid/],
    ['the cache', () => chownSync(cache, 0, 0), /chown poid:poid \S+cache/],
    ['a file in it', () => chownSync(path.join(cache, 'code'), 0, 0), /chown poid:poid \S+code/],
  ] as const) {
    test(`${what} is closed to it: root finds that, though it may itself`, () => {
      close();
      const { verdict, detail, remedy: reported = '' } = check();
      assert.equal(verdict, 'FAIL', detail);
      assert.match(detail, /the user poid can't use .*\(EACCES\)/);
      assert.match(reported, remedy);
    });
  }

  test('what is missing is said elsewhere; a machine without that user has nothing to look at', () => {
    rmSync(node);
    rmSync(cache, { recursive: true });
    assert.equal(check().verdict, 'PASS');
    assert.equal(checkRights(configuration, places, undefined, cache).verdict, 'SKIPPED');
  });
});

describe('poid doctor: the shop’s time', () => {
  const now = new Date('2026-11-26T11:00:00.000Z');
  const zone = process.env['TZ'];
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  test('with its zone: of the configuration, or of the terminal that runs', () => {
    const ours = checkZone({ timeZone: 'Asia/Hong_Kong' }, undefined, now);
    assert.deepEqual(
      [ours.verdict, ours.detail],
      ['PASS', '2026-11-26T19:00:00.000+08:00 Asia/Hong_Kong, by the configuration'],
    );
    const clock = { state: 'ok', timeZone: 'Asia/Tokyo' };
    const its = checkZone({ timeZone: undefined }, { clock }, now);
    assert.match(its.detail, /^2026-11-26T20:00:00\.000\+09:00 Asia\/Tokyo, by the environment of the service$/);
  });

  test('of a zone that is not known it warns', () => {
    const clock = { state: 'ok', timeZone: 'UTC', timeZoneFault: 'TZ names no time zone' };
    assert.equal(checkZone({ timeZone: undefined }, { clock }, now).verdict, 'WARN');
    process.env['TZ'] = 'Foo/Bar';
    const { verdict, detail, remedy } = checkZone({ timeZone: undefined }, undefined, now);
    assert.deepEqual([verdict, /\+00:00 UTC: the environment variable TZ/.test(detail)], ['WARN', true]);
    assert.match(remedy ?? '', /timeZone in the configuration/);
  });
});

/** What the doctor asks once it has given up root's rights. */
const asService = `
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
childProcess.spawnSync = () => { throw new Error('a process was started'); };
syncBuiltinESMExports();
const [module, uid, gid, file] = process.argv.slice(1);
process.setgroups([Number(gid)]);
process.setgid(Number(gid));
process.setuid(Number(uid));
const { listRefused } = await import(module);
const wanted = [{ path: file, access: 'read' }, { path: file, access: 'write' }];
process.stdout.write(JSON.stringify(listRefused({ uid: Number(uid), groups: new Set([Number(gid)]) }, wanted)));
`;

test('no process is started as the service’s user, whose other processes could control it', { skip }, () => {
  const module = new URL('../../src/admin/doctor/access.ts', import.meta.url).href;
  const parameters = ['--input-type=module', '--eval', asService, module, `${uid}`, `${gid}`, places.configuration];
  const { stdout, stderr } = spawnSync(process.execPath, parameters, { encoding: 'utf8' });
  assert.equal(stdout, JSON.stringify([{ path: places.configuration, code: 'EACCES' }]), stderr);
});
