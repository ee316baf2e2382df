import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { HawkbitServer, type HawkbitOptions } from '../../../hw-sim/hawkbit/server.ts';
import { UpdateAgent } from '../../../src/fleet/updates/agent.ts';
import { DdiClient } from '../../../src/fleet/updates/ddi-client.ts';
import { download } from '../../../src/fleet/updates/download.ts';
import { HttpsExchange } from '../../../src/fleet/updates/https-exchange.ts';
import { ImageMachine } from '../../../src/fleet/updates/image-machine.ts';
import { Rauc } from '../../../src/fleet/updates/rauc.ts';
import { StateFile } from '../../../src/fleet/updates/state-file.ts';
import { ManualClock } from '../../support/manual-clock.ts';

export const controllerId = 'T-1042';
export const bundle = Buffer.from('a bundle of RAUC, as far as HTTP knows. '.repeat(20_000));

/**
 * rauc as the agent meets it. What `info` prints was taken down from rauc 1.8 (Debian 12), `install` is from its source (src/main.c,
 * src/install.c of v1.8): a real one needs slots, and can install nothing here. rauc.test.ts has the real one, as far as it goes.
 */
const rauc = `#!/bin/sh
cd "$(dirname "$0")"
echo "$*" >> rauc.calls
case $1 in
  --keyring=*)
    if [ -e refuses ]; then
      echo 'signature verification failed: Verify error: self-signed certificate' >&2
      exit 1
    fi
    printf "RAUC_MF_COMPATIBLE='%s'\\nRAUC_MF_VERSION='%s'\\nRAUC_MF_DESCRIPTION=''\\nRAUC_MF_BUILD=''\\nRAUC_MF_IMAGES=1\\nRAUC_MF_HOOKS=''\\n" "$(cat compatible)" "$(cat version)" ;;
  install)
    if [ -e breaks ]; then
      echo 'LastError: Installation error: Failed updating slot rootfs.1: failed to write' >&2
      echo "Installing \\\`$2' failed" >&2
      exit 1
    fi
    echo "Installing \\\`$2' succeeded" ;;
esac
`;
const systemctl = `#!/bin/sh
cd "$(dirname "$0")"
case $1 in show) cat healthy ;; --no-block) echo "$2" >> restarts ;; esac
`;

/** A terminal with an image, as far as its files and programs tell, and hawkBit beside it. */
export class Stage {
  readonly dir: string;
  readonly hawkbit: HawkbitServer;
  readonly clock = new ManualClock();
  readonly warned: string[] = [];
  /** Why the terminal is busy. */
  busy: string | undefined;
  isOpen = true;
  forcedAtOnce = false;
  bundleBytesMax = 1_000_000;
  /** Of one part of a download, and how long a connection may carry nothing. */
  downloadMs = 60_000;
  silenceMs = 2_000;
  authorization: string | undefined = 'TargetToken bH7XXAprK1ChnLfKSdtlsp7NOlPnZAYY';
  ca: string | undefined;
  agent: UpdateAgent;

  private constructor(dir: string, hawkbit: HawkbitServer) {
    this.dir = dir;
    this.hawkbit = hawkbit;
    this.agent = undefined as unknown as UpdateAgent;
  }

  static async open(t: TestContext, options: HawkbitOptions = {}): Promise<Stage> {
    const dir = await mkdtemp(path.join(tmpdir(), 'poid-updates-'));
    const hawkbit = new HawkbitServer({ authorization: 'TargetToken bH7XXAprK1ChnLfKSdtlsp7NOlPnZAYY', ...options });
    await hawkbit.open();
    t.after(async () => {
      await hawkbit.close();
      await rm(dir, { recursive: true });
    });
    const stage = new Stage(dir, hawkbit);
    await mkdir(path.join(dir, 'home'));
    for (const [name, text] of [
      ['rauc', rauc],
      ['systemctl', systemctl],
    ] as const) {
      await stage.write(name, text);
      await chmod(path.join(dir, name), 0o755);
    }
    await stage.write('system.conf', '[system]\ncompatible=poid-amd64\nbootloader=grub\n');
    await stage.write('compatible', 'poid-amd64');
    await stage.write('version', '2.0.0');
    await stage.started({ version: '1.0.0', slot: 'A', healthy: 'active' });
    stage.restartAgent();
    return stage;
  }

  /** The machine has started. */
  async started({ version, slot, healthy }: { version: string; slot: 'A' | 'B'; healthy: string }): Promise<void> {
    await this.write('image-version', `${version}\n`);
    await this.write('cmdline', `BOOT_IMAGE=/boot/vmlinuz rauc.slot=${slot} ro quiet\n`);
    await this.write('boot-id', `${crypto.randomUUID()}\n`);
    await this.write('healthy', `${healthy}\n`);
  }

  /** A process of its own: it knows what is in its file. */
  restartAgent(): void {
    const { dir, clock } = this;
    const at = (name: string) => path.join(dir, name);
    const readText = (file: string) => readFile(file, 'utf8');
    const http = new HttpsExchange(this.ca === undefined ? {} : { ca: this.ca }, this.silenceMs);
    const address = { url: this.hawkbit.url, tenant: 'DEFAULT', controllerId, authorization: this.authorization };
    const ddi = new DdiClient(address, http, clock);
    const machine = { version: at('image-version'), commandLine: at('cmdline'), bootId: at('boot-id') };
    const file = at('home/bundle.raucb');
    this.agent = new UpdateAgent({
      ddi,
      store: new StateFile(at('home/action.json')),
      installer: new Rauc(
        { program: at('rauc'), keyring: '/etc/rauc/keyring.pem', system: at('system.conf') },
        readText,
      ),
      machine: new ImageMachine({ ...machine, systemctl: at('systemctl'), dpkg: 'dpkg' }, readText),
      bundle: file,
      download: (artifact) => {
        const until = AbortSignal.timeout(this.downloadMs);
        return download(artifact, file, http, { headers: ddi.credentialsFor(artifact.url), until });
      },
      discard: async () => {
        for (const each of [file, `${file}.part`]) await rm(each, { force: true });
      },
      busy: async () => this.busy,
      isOpen: async (isForced) => this.isOpen || (isForced && this.forcedAtOnce),
      attributes: async () => ({ serialNumber: controllerId }),
      clock,
      random: { bytes: () => Uint8Array.of(0x80, 0) },
      log: { info: () => undefined, warn: (event, fields) => this.warned.push(`${event} ${fields?.reason ?? ''}`) },
      limits: { pollMs: 300_000, bundleBytesMax: this.bundleBytesMax },
    });
  }

  /** One step, once its time has come. */
  async step(): Promise<number> {
    const waits = await this.agent.step();
    this.clock.pass(waits);
    return waits;
  }

  write(name: string, text: string): Promise<void> {
    return writeFile(path.join(this.dir, name), text);
  }

  read(name: string): Promise<string> {
    return readFile(path.join(this.dir, name), 'utf8').catch(() => '');
  }

  /** What rauc was called with. */
  async installations(): Promise<number> {
    return (await this.read('rauc.calls')).split('\n').filter((line) => line.startsWith('install ')).length;
  }
}
