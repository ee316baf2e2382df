import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { Rauc } from '../../../src/fleet/updates/rauc.ts';
import { needs } from '../../support/needs.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'poid-rauc-'));
after(() => rmSync(dir, { recursive: true }));

function certify(name: string): { key: string; certificate: string } {
  const [key, certificate] = [path.join(dir, `${name}.key`), path.join(dir, `${name}.pem`)];
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`];
  execFileSync('openssl', [...words, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  return { key, certificate };
}

test(
  'the real rauc: what a bundle says, who may sign it, one that was tampered with, and no slots to install to',
  needs('rauc', 'mksquashfs', 'openssl'),
  async () => {
    const [own, other] = [certify('release'), certify('foreign')];
    const content = path.join(dir, 'content');
    mkdirSync(content);
    writeFileSync(path.join(content, 'root.img'), randomBytes(100_000));
    // As a build of a commit is called.
    const version = '0.2.0~git20261126103517.gabcdef123456.local';
    const image = '[bundle]\nformat=verity\n[image.rootfs]\nfilename=root.img\n';
    const manifest = `[update]\ncompatible=poid-amd64\nversion=${version}\n${image}`;
    writeFileSync(path.join(content, 'manifest.raucm'), manifest);
    const bundle = path.join(dir, 'poid.raucb');
    execFileSync('rauc', [`--cert=${own.certificate}`, `--key=${own.key}`, 'bundle', content, bundle], {
      stdio: 'ignore',
    });
    const rauc = (keyring: string) =>
      new Rauc({ program: 'rauc', keyring, system: path.join(dir, 'none') }, (file) => readFile(file, 'utf8'));
    assert.deepEqual(await rauc(own.certificate).inspect(bundle), { compatible: 'poid-amd64', version });
    assert.match(JSON.stringify(await rauc(other.certificate).inspect(bundle)), /signature verification failed/);
    const bytes = readFileSync(bundle);
    // In the signature, which is at the end.
    bytes.fill(0x41, bytes.length - 900, bytes.length - 800);
    writeFileSync(bundle, bytes);
    assert.match(JSON.stringify(await rauc(own.certificate).inspect(bundle)), /nobody who may sign has signed it/);
    assert.ok((await rauc(own.certificate).install(bundle)) !== undefined);
    assert.equal(await rauc(own.certificate).compatible(), undefined);
  },
);

test('a program that is not there is a reason, and an option is no path', async () => {
  const rauc = new Rauc({ program: path.join(dir, 'none'), keyring: 'k', system: 's' }, (file) =>
    readFile(file, 'utf8'),
  );
  assert.match((await rauc.install('/x.raucb')) ?? '', /ENOENT/);
  assert.match(JSON.stringify(await rauc.inspect('--no-verify')), /not absolute/);
});
