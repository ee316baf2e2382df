import { cpSync, globSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runTool } from './tool.ts';

/** Folders of kernel/ whose modules a terminal may need: disks, USB, network cables, displays, watchdogs, touch. */
const folders = [
  'drivers/ata',
  'drivers/nvme',
  'drivers/mmc',
  'drivers/block',
  'drivers/virtio',
  'drivers/usb',
  'drivers/hid',
  'drivers/input',
  'drivers/net/ethernet',
  'drivers/net/phy',
  'drivers/net/usb',
  'drivers/gpu/drm',
  'drivers/watchdog',
  'drivers/rtc',
  'drivers/char/tpm',
  'drivers/char/hw_random',
  'fs/ext4',
  'fs/squashfs',
  'fs/fat',
  'fs/nls',
  'net/netfilter',
  'net/ipv4/netfilter',
  'net/ipv6/netfilter',
];
const single =
  /\/(?:sd_mod|virtio_scsi|virtio_net|virtio_console|dm-verity|loop|autofs4|efi-pstore|efivarfs|configfs|i2c-hid.*|8250_.*|crc32.*|sha256.*)\.ko$/;
/** Large, and for machines that no terminal is. */
const needless =
  /\/(?:amd\/amdgpu|amdgpu|nouveau|radeon|vmwgfx|mellanox|chelsio|qlogic|cavium|sfc|netronome|emulex|brocade|huawei|cisco|broadcom\/bnx2x)\//;

/** What finds the slot and the state partition: the initrd loads these, and what they need. */
const early = [
  'virtio_pci',
  'virtio_blk',
  'ahci',
  'sd_mod',
  'nvme',
  'sdhci_pci',
  'sdhci_acpi',
  'mmc_block',
  'usb_storage',
  'uas',
  'xhci_pci',
  'ext4',
  'crc32c_generic',
  'squashfs',
];

/** Copies the kernel and the modules for a terminal from `source`, where Debian's package is unpacked. Returns the kernel's version. */
export function installKernel(tree: string, source: string): string {
  const [version = ''] = readdirSync(path.join(source, 'lib/modules'));
  const from = path.join(source, 'lib/modules', version);
  const to = path.join(tree, 'usr/lib/modules', version);
  runTool('depmod', ['-b', source, version]);
  const needs = readDependencies(path.join(from, 'modules.dep'));
  const asked = [...needs.keys()].filter(
    (file) => (folders.some((each) => file.startsWith(`kernel/${each}/`)) || single.test(file)) && !needless.test(file),
  );
  for (const file of closureOf(asked, needs)) {
    mkdirSync(path.dirname(path.join(to, file)), { recursive: true });
    cpSync(path.join(from, file), path.join(to, file));
  }
  for (const each of globSync('modules.{builtin,builtin.modinfo,order}', { cwd: from })) {
    cpSync(path.join(from, each), path.join(to, each));
  }
  runTool('depmod', ['-b', tree, version]);
  const [image = ''] = globSync('boot/vmlinuz-*', { cwd: source });
  mkdirSync(path.join(tree, 'boot'), { recursive: true });
  cpSync(path.join(source, image), path.join(tree, 'boot/vmlinuz'));
  return version;
}

/** Files of the modules for the initrd, each after those that it needs. */
export function earlyModules(tree: string, version: string): string[] {
  const home = path.join(tree, 'usr/lib/modules', version);
  const needs = readDependencies(path.join(home, 'modules.dep'));
  const nameOf = (file: string) => path.basename(file, '.ko').replaceAll('-', '_');
  const byName = new Map([...needs.keys()].map((file) => [nameOf(file), file]));
  const asked = early.flatMap((name) => byName.get(name) ?? []);
  return closureOf(asked, needs).map((file) => path.join(home, file));
}

/** modules.dep: a line for each module, its file and those that it needs; what is needed last is loaded first (modules.dep(5)). */
function readDependencies(file: string): Map<string, string[]> {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const [module = '', needed = ''] = line.split(':');
      return [module, needed.trim().split(' ').filter(Boolean).toReversed()];
    }),
  );
}

function closureOf(asked: readonly string[], needs: ReadonlyMap<string, readonly string[]>): string[] {
  return [...new Set(asked.flatMap((file) => [...(needs.get(file) ?? []), file]))];
}
