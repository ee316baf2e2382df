import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BuildError, type Machine } from '../build/addons.ts';
import { runTool } from './tool.ts';

const grubConfiguration = fileURLToPath(new URL('grub.cfg', import.meta.url));
const mebibyte = 1 << 20;

/** Sizes in MiB. What an image of the next years needs fits in a slot; the state partition grows with the disk (systemd-repart). */
const sizes = { esp: 64, slot: 768, state: 1024 } as const;
const first = 1;
const places = {
  esp: first,
  'root-a': first + sizes.esp,
  'root-b': first + sizes.esp + sizes.slot,
  state: first + sizes.esp + 2 * sizes.slot,
} as const;

/** UEFI and Linux on x86-64 (uapi-group.org, Discoverable Partitions): plain data here, so that nothing mounts a slot by itself. */
const espType = 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B';
const dataType = '0FC63DAF-8483-4772-8E79-3D69D8477DE4';

/** GRUB's name of each machine with UEFI, what firmware starts from a disk that it does not know (UEFI, 3.5.1.1), and what is its own. */
const loaders = {
  x64: { platform: 'x86_64-efi', file: 'BOOTX64.EFI', modules: ['serial'] },
  arm64: { platform: 'arm64-efi', file: 'BOOTAA64.EFI', modules: [] },
} as const;

/** Of what GRUB's configuration uses. */
const grubModules = [
  'part_gpt',
  'fat',
  'squash4',
  'gzio',
  'linux',
  'loadenv',
  'test',
  'echo',
  'search',
  'normal',
  'configfile',
  'terminal',
  'regexp',
  'sleep',
  'reboot',
  'efi_gop',
  'all_video',
];

export interface DiskOptions {
  /** The content of the first slot. */
  readonly slot: string;
  readonly machine: Machine;
  /** Where GRUB is unpacked. */
  readonly bootParts: string;
}

/** Writes a disk, sparse: GPT, ESP with GRUB, two slots, state. */
export function makeDisk(file: string, { slot, machine, bootParts }: DiskOptions): void {
  if (statSync(slot).size > sizes.slot * mebibyte)
    throw new BuildError(`a slot has ${sizes.slot} MiB: ${slot} is larger`);
  const work = mkdtempSync(path.join(tmpdir(), 'poid-disk-'));
  try {
    const esp = path.join(work, 'esp');
    makeEsp(esp, work, { machine, bootParts });
    const state = path.join(work, 'state');
    makeEmpty(state, sizes.state);
    runTool('mkfs.ext4', ['-q', '-L', 'state', state]);
    rmSync(file, { force: true });
    makeEmpty(file, places.state + sizes.state + 1);
    runTool('sfdisk', ['--quiet', file], { input: partitionTable() });
    for (const [content, at] of [
      [esp, places.esp],
      [slot, places['root-a']],
      [state, places.state],
    ] as const) {
      runTool('dd', [`if=${content}`, `of=${file}`, 'bs=1M', `seek=${at}`, 'conv=notrunc,sparse', 'status=none']);
    }
  } finally {
    rmSync(work, { recursive: true });
  }
}

function partitionTable(): string {
  const line = (name: keyof typeof places, size: number, type: string) =>
    `start=${places[name]}MiB, size=${size}MiB, name=${name}, type=${type}`;
  return [
    'label: gpt',
    line('esp', sizes.esp, espType),
    line('root-a', sizes.slot, dataType),
    line('root-b', sizes.slot, dataType),
    line('state', sizes.state, dataType),
    '',
  ].join('\n');
}

/** FAT with GRUB where firmware looks for it by itself, its configuration, and its environment with slot A alone good. */
function makeEsp(esp: string, work: string, { machine, bootParts }: Omit<DiskOptions, 'slot'>): void {
  const early = path.join(work, 'early.cfg');
  writeFileSync(early, 'configfile ($root)/grub.cfg\n');
  const { platform, file, modules } = loaders[machine];
  const loader = path.join(work, file);
  const from = ['-d', path.join(bootParts, 'usr/lib/grub', platform), '-O', platform];
  runTool('grub-mkimage', [...from, '-p', '/grub', '-c', early, '-o', loader, ...grubModules, ...modules]);
  const environment = path.join(work, 'grubenv');
  runTool('grub-editenv', [environment, 'create']);
  runTool('grub-editenv', [environment, 'set', 'ORDER=A B', 'A_OK=1', 'B_OK=0', 'A_TRY=0', 'B_TRY=0']);
  makeEmpty(esp, sizes.esp);
  runTool('mkfs.vfat', ['-F', '32', '-n', 'ESP', esp]);
  runTool('mmd', ['-i', esp, '::/EFI', '::/EFI/BOOT']);
  runTool('mcopy', ['-i', esp, loader, '::/EFI/BOOT/']);
  runTool('mcopy', ['-i', esp, grubConfiguration, environment, '::/']);
}

function makeEmpty(file: string, mebibytes: number): void {
  const handle = openSync(file, 'w');
  ftruncateSync(handle, mebibytes * mebibyte);
  closeSync(handle);
}
