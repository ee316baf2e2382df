import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const scripts = [
  {
    name: 'test:package',
    main: 'main.ts',
    why: 'it starts containers',
    first: 'mmdebstrap (Debian: mmdebstrap), systemd-nspawn',
  },
  {
    name: 'test:firmware',
    main: '../firmware/main.ts',
    why: 'it makes the disk of a guest',
    first: 'qemu-system-x86_64 (Debian: qemu-system-x86), qemu-img',
  },
];

for (const { name, main, why, first } of scripts) {
  test(`${name} that lacks its programs, or root, names them and fails`, () => {
    const file = fileURLToPath(new URL(main, import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', env: { PATH: '' } });
    assert.equal(status, 1);
    assert.equal(stdout, '');
    if (process.getuid?.() === 0) assert.ok(stderr.startsWith(`${name} lacks ${first}`), stderr);
    else assert.equal(stderr, `${name} needs root: ${why}\n`);
  });
}
