import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const initSource = fileURLToPath(new URL('init.c', import.meta.url));

/** What a disk that was made before depends on. */
export const sources = [initSource, fileURLToPath(import.meta.url)] as const;

/** What a test may load: the others of Debian's modules would only be looked through. */
const parts = ['block', 'char', 'hid', 'input', 'md', 'usb', 'virtio', 'net/virtio_net.ko', 'net/net_failover.ko']
  .map((each) => `drivers/${each}`)
  .concat(['fs/ext4', 'fs/jbd2', 'fs/mbcache.ko', 'fs/configfs', 'fs/autofs', 'lib', 'crypto', 'arch/x86/crypto'])
  .concat('net/core');

/** Before there is a disk. */
const early = ['virtio_pci', 'virtio_blk', 'ext4', 'crc32c_generic'];

/** Copies the modules that a guest may need from a tree with Debian's kernel to `root`. Returns the kernel's version. */
export function installModules(tree: string, root: string): string {
  const [version = ''] = readdirSync(path.join(tree, 'lib/modules'));
  const [from, to] = [tree, path.join(root, 'usr')].map((each) => path.join(each, 'lib/modules', version));
  mkdirSync(to ?? '', { recursive: true });
  for (const each of [...parts.map((part) => `kernel/${part}`), ...readdirSync(from ?? '').filter(isTable)]) {
    cpSync(path.join(from ?? '', each), path.join(to ?? '', each), { recursive: true });
  }
  execFileSync('depmod', ['-b', path.join(root, 'usr'), version], { stdio: 'ignore' });
  return version;
}

function isTable(name: string): boolean {
  return /^modules\.(?:builtin|builtin\.modinfo|order)$/.test(name);
}

/** Writes the kernel of the tree unpacked: an emulated processor would take some fifteen seconds for that. */
export function writeKernel(tree: string, file: string): void {
  const [image = ''] = globSync('boot/vmlinuz-*', { cwd: tree });
  const packed = readFileSync(path.join(tree, image));
  // Documentation/arch/x86/boot.rst: setup_sects, payload_offset, payload_length. The payload's last four bytes are a length.
  const start = ((packed[0x1f1] ?? 0) + 1) * 512 + packed.readUInt32LE(0x248);
  const input = packed.subarray(start, start + packed.readUInt32LE(0x24c) - 4);
  writeFileSync(file, execFileSync('xz', ['-dc'], { input, maxBuffer: 1 << 28 }));
}

/** Writes an initrd with the modules that lead to the disk. */
export function writeInitrd(root: string, version: string, file: string): void {
  const tree = `${file}.tree`;
  for (const each of ['dev', 'root']) mkdirSync(path.join(tree, each), { recursive: true });
  execFileSync('cc', ['-static', '-Os', '-o', path.join(tree, 'init'), initSource]);
  const modules = [...new Set(early.flatMap((each) => modulesOf(each, path.join(root, 'usr'), version)))];
  for (const each of modules) cpSync(each, path.join(tree, path.basename(each)));
  writeFileSync(path.join(tree, 'modules'), modules.map((each) => `/${path.basename(each)}\n`).join(''));
  execFileSync('sh', ['-c', 'find . | cpio --quiet -o -H newc -R 0:0 > "$1"', 'sh', file], { cwd: tree });
  rmSync(tree, { recursive: true });
}

/** The files to load, in their order: `insmod FILE`, a line each (modprobe(8)). */
function modulesOf(name: string, base: string, version: string): string[] {
  const shown = execFileSync('modprobe', ['-d', base, '-S', version, '--show-depends', name], { encoding: 'utf8' });
  return shown.split('\n').flatMap((line) => /^insmod (\S+)/.exec(line)?.[1] ?? []);
}
