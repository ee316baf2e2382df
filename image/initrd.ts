import { cpSync, lutimesSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTool } from './tool.ts';

const init = fileURLToPath(new URL('initrd/init', import.meta.url));

/** Applets of busybox that the script uses. */
const applets = [
  'sh',
  'cat',
  'cp',
  'grep',
  'insmod',
  'mkdir',
  'mount',
  'mv',
  'rm',
  'sed',
  'sleep',
  'switch_root',
  'sync',
  'tr',
];

export interface InitrdOptions {
  /** Statically linked, of the image's machine. */
  readonly busybox: string;
  /** Files of kernel modules, in the order of loading. */
  readonly modules: readonly string[];
  readonly epoch: number;
}

/** Writes the initrd: busybox, the modules and one script. Same bytes each time. */
export function makeInitrd(file: string, { busybox, modules, epoch }: InitrdOptions): void {
  const tree = mkdtempSync(path.join(tmpdir(), 'poid-initrd-'));
  try {
    for (const each of ['bin', 'dev', 'modules', 'proc', 'root', 'sys']) mkdirSync(path.join(tree, each));
    cpSync(busybox, path.join(tree, 'bin/busybox'));
    for (const each of applets) symlinkSync('busybox', path.join(tree, 'bin', each));
    for (const each of modules) cpSync(each, path.join(tree, 'modules', path.basename(each)));
    writeFileSync(
      path.join(tree, 'modules.order'),
      modules.map((each) => `/modules/${path.basename(each)}\n`).join(''),
    );
    cpSync(init, path.join(tree, 'init'));
    runTool('chmod', ['-R', 'u=rwX,go=rX', tree]);
    runTool('chmod', ['755', path.join(tree, 'init'), path.join(tree, 'bin/busybox')]);
    for (const each of readdirSync(tree, { recursive: true, encoding: 'utf8' })) {
      lutimesSync(path.join(tree, each), epoch, epoch);
    }
    lutimesSync(tree, epoch, epoch);
    const pack = 'find . | LC_ALL=C sort | cpio --quiet --reproducible -o -H newc -R 0:0 | gzip -9n > "$1"';
    runTool('bash', ['-o', 'pipefail', '-c', pack, 'bash', file], { cwd: tree });
  } finally {
    rmSync(tree, { recursive: true });
  }
}
