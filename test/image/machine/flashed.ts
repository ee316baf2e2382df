import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Guest } from '../../firmware/machine/guest.ts';
import { until } from '../../packaging/machine/container.ts';
import { Shop } from '../../packaging/machine/shop.ts';
import { bundleDisk, firstDisk } from './images.ts';

const rebootMs = 1_500_000;
const installMs = 900_000;
const lookMs = 3_000;
/** Ends once systemd has nothing more to start. To ask again and again takes a third of an emulated processor. */
const started = 'systemctl is-system-running --wait > /dev/null 2>&1';
const readBundles =
  'mkdir -p /run/bundles; mountpoint -q /run/bundles || mount -t squashfs -o ro /dev/vdb /run/bundles';
const thisBoot = 'cat /proc/sys/kernel/random/boot_id';

/** UEFI of Debian's package ovmf. */
const firmware = '/usr/share/OVMF/OVMF_CODE_4M.fd';
const emptyVariables = '/usr/share/OVMF/OVMF_VARS_4M.fd';
const watchdog = ['-device', 'i6300esb'];
// At a place of its own: the firmware knows the disks by theirs, and the variables keep them.
const display = ['-device', 'virtio-gpu-pci,addr=0x10'];

interface Acquirer {
  readonly id: string;
  readonly openBatch?: number;
}

/** A machine whose disk was flashed: UEFI, a watchdog, and a second disk with bundles. */
export class FlashedTerminal {
  readonly #dir = mkdtempSync(path.join(tmpdir(), 'poid-flashed-'));
  guest!: Guest;
  shop!: Shop;

  readonly #network: readonly string[];

  /** `network`: QEMU's parameters for one; without, no cable is plugged in. */
  constructor(network: readonly string[] = []) {
    this.#network = network;
    execFileSync('cp', ['--sparse=always', firstDisk(), path.join(this.#dir, 'disk')]);
    cpSync(emptyVariables, path.join(this.#dir, 'variables'));
  }

  /** Switches it on. */
  async start({ hasDisplay }: { readonly hasDisplay: boolean }): Promise<void> {
    const flash = [`readonly=on,file=${firmware}`, `file=${path.join(this.#dir, 'variables')}`];
    const bundles = bundleDisk();
    const disks = [
      { file: path.join(this.#dir, 'disk'), format: 'raw' },
      ...(bundles === undefined ? [] : [{ file: bundles, format: 'raw', isReadOnly: true } as const]),
    ] as const;
    const drives = flash.flatMap((each) => ['-drive', `if=pflash,format=raw,${each}`]);
    const more = [...drives, ...watchdog, ...(hasDisplay ? display : []), ...this.#network];
    this.guest = await Guest.boot({ disks, memoryMiB: 1536, more });
    this.shop = new Shop(this.guest, { readyMs: rebootMs, lookMs, connectMs: 30_000 });
  }

  /** The power goes. */
  async cut(): Promise<void> {
    await this.guest.cut();
  }

  async remove(): Promise<void> {
    await this.guest?.cut();
    rmSync(this.#dir, { recursive: true });
  }

  /** Which version runs, and from which slot. */
  async version(): Promise<string> {
    const slot = `sed -n 's/.*rauc.slot=\\([AB]\\).*/\\1/p' /proc/cmdline`;
    return (await this.guest.outputOf(`cat /usr/lib/poid-image/version; ${slot}`)).replace('\n', ' in ');
  }

  /** Changes with each start of the machine. */
  bootId(): Promise<string> {
    return this.guest.outputOf(thisBoot);
  }

  /**
   * Resolves once that version runs and was judged, `starts` starts of the machine after the one of that id. A command
   * that is under way is lost when the machine starts anew.
   */
  judged(version: string, after?: { readonly bootId: string; readonly starts: number }): Promise<unknown> {
    const state = 'systemctl show --value --property=ActiveState poid-healthy';
    const look = `${started}; cat /usr/lib/poid-image/version; ${state}; ${thisBoot}`;
    return this.until(
      `${version} is kept`,
      async () => {
        const { said } = await this.guest.run(look, {}, rebootMs).catch(() => ({ said: '' }));
        const [running, judgement, bootId] = said.split('\n');
        if (judgement !== 'active' || bootId === after?.bootId) return undefined;
        assert.equal(running, version, 'another version is kept');
        return true;
      },
      rebootMs * (after?.starts ?? 1),
    );
  }

  until<T>(what: string, look: () => Promise<T | undefined>, withinMs: number = rebootMs): Promise<T> {
    return until(what, withinMs, look, lookMs);
  }

  /** Resolves once it takes cards. */
  async ready(): Promise<void> {
    await this.guest.run(started, {}, rebootMs);
    await this.shop.ready();
  }

  /**
   * What the journal tells by the status: the batch that the sale is in, and what waits. Lines come and go; a batch that
   * has nothing yet gets its number with its first payment.
   */
  async books(): Promise<unknown> {
    await this.ready();
    const { acquirers } = JSON.parse(await this.guest.outputOf('curl -sf http://127.0.0.1:8081/status')) as {
      readonly acquirers: readonly Acquirer[];
    };
    return acquirers.map((each) => ({
      ...each,
      link: undefined,
      openBatch: each.id === 'EDC' ? each.openBatch : undefined,
    }));
  }

  /** The schema of the journal, and why it is not the newest that the version knows. */
  async schema(): Promise<{ readonly version: number; readonly waits?: string }> {
    const { said } = await this.guest.run('curl -sf http://127.0.0.1:8081/status');
    const status = JSON.parse(said) as { readonly journalSchema: number; readonly journalMigration?: string };
    const { journalSchema: version, journalMigration: waits } = status;
    return { version, ...(waits === undefined ? {} : { waits }) };
  }

  /** Resolves once that version runs on trial and takes cards. */
  async onTrial(version: string): Promise<void> {
    const look = () => this.guest.run('cat /usr/lib/poid-image/version').catch(() => ({ said: '' }));
    await this.until(`${version} runs`, async () => ((await look()).said.trim() === version ? true : undefined));
    await this.shop.ready();
  }

  /** Resolves once the accepted version has migrated its journal. */
  migrated(schema: number): Promise<unknown> {
    return this.until(`the journal has the schema ${schema}`, async () => {
      const found = await this.schema().catch(() => undefined);
      return found?.version === schema && found.waits === undefined ? true : undefined;
    });
  }

  /** Ends the daemon again and again, until the machine's judgement gives it up. */
  async giveUp(): Promise<void> {
    const restarts = '$(systemctl show --value --property=NRestarts poid)';
    const command = `until [ ${restarts} -ge 5 ]; do systemctl kill --signal=KILL poid; sleep 1; done`;
    await this.guest.run(command, {}, rebootMs).catch(() => undefined);
  }

  /** The words of an update that was refused. */
  async refusal(bundle: string): Promise<string> {
    const { code, said } = await this.update(bundle);
    assert.equal(code, 1, said);
    return said;
  }

  /** Where it is taken, the machine starts anew, and the answer may be lost. */
  async update(bundle: string): Promise<{ readonly code: number; readonly said: string }> {
    const command = `${readBundles}; poid-update --now /run/bundles/${bundle}`;
    return this.guest.run(command, {}, installMs).catch((error: unknown) => ({ code: -1, said: String(error) }));
  }

  /** What an update says and does that takes its installation and its restart for done. */
  async rehearse(bundle: string): Promise<string> {
    const rauc = `#!/bin/sh\n[ "$1" = install ] || exec /usr/bin/rauc "$@"\n`;
    const systemctl = '#!/bin/sh\necho "$*"\n';
    const home = '/run/rehearsal';
    await this.guest.outputOf(`mkdir -p ${home}`);
    await this.guest.outputOf(`cat > ${home}/rauc`, { input: rauc });
    await this.guest.outputOf(`cat > ${home}/systemctl`, { input: systemctl });
    const command = `${readBundles}; chmod +x ${home}/*; PATH=${home}:$PATH poid-update --now /run/bundles/${bundle}`;
    return this.guest.outputOf(command);
  }

  /** The maintenance window, in hours from now. */
  async setWindow(from: number, until: number): Promise<void> {
    const clock = (hours: number) => `$(TZ=Asia/Hong_Kong date -d '${hours} hours' +%H:%M)`;
    const lines = `from=${clock(from)}\nuntil=${clock(until)}\n`;
    await this.guest.outputOf(`printf "${lines}" > /etc/poid/maintenance-window`);
  }

  /** What GRUB keeps: the order of the slots, and how often each was tried. */
  bootOrder(): Promise<string> {
    return this.guest.outputOf('grub-editenv /efi/grubenv list | sort -r');
  }

  /** What the display shows, as the bytes of a PNG. */
  async picture(): Promise<Buffer> {
    const filename = path.join(process.env['POID_SCREENSHOTS'] ?? this.#dir, 'image.png');
    await this.guest.monitor.execute('screendump', { filename, format: 'png' });
    return readFileSync(filename);
  }
}
