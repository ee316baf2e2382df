import assert from 'node:assert/strict';
import { constants, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { type PosAnswer, Shop } from '../../packaging/machine/shop.ts';
import { until } from '../../packaging/machine/container.ts';
import { Guest } from './guest.ts';
import { machineWith, readySnapshot, terminalDisk } from './terminal-disk.ts';

/** What the terminal is told of within this, it is told in time: an emulated processor is slow. */
const patienceMs = 480_000;
/** A look costs the guest time that what is looked at needs. */
const lookMs = 2_000;
export const patience = { ms: patienceMs, lookMs } as const;

export interface Status {
  readonly state?: string;
  readonly ready?: boolean;
  readonly message?: string;
  readonly journal?: string;
  readonly clock?: { readonly state: string };
  readonly devices?: Readonly<
    Record<string, { readonly state: string; readonly reason?: string; readonly paper?: string }>
  >;
}

type Settings = Readonly<Record<string, unknown>>;

interface Posting {
  readonly stan: string;
  readonly status: string;
}

/** Its copy of the disk: each test of a file goes back to the snapshot there. An overlay would not have it. */
const disk = path.join(mkdtempSync(path.join(tmpdir(), 'poid-disk-')), 'terminal.qcow2');
process.once('exit', () => rmSync(path.dirname(disk), { recursive: true, force: true }));

/** A terminal in a guest that continues where installed.guest.ts ended: simulator and daemon run, and a card could be tapped. */
export class ReadyTerminal {
  readonly guest: Guest;
  readonly shop: Shop;
  /** Its disk, which holds the snapshot too. */
  readonly disk = disk;

  private constructor(guest: Guest) {
    this.guest = guest;
    this.shop = new Shop(guest, { readyMs: patienceMs, lookMs });
  }

  static async open(t: TestContext): Promise<ReadyTerminal> {
    if (!existsSync(disk)) copyFileSync(terminalDisk, disk, constants.COPYFILE_FICLONE);
    const guest = await Guest.boot(machineWith(disk), { snapshot: readySnapshot });
    t.after(() => {
      t.diagnostic(`the emulated processor was busy for ${guest.cpuSeconds().toFixed(0)} s`);
      return guest.stop();
    });
    return new ReadyTerminal(guest);
  }

  /** Empty while nobody answers. */
  async status(): Promise<Status> {
    const { said } = await this.guest.run('curl -s -m 20 http://127.0.0.1:8080/sp/v1/status');
    return said.startsWith('{') ? (JSON.parse(said) as Status) : {};
  }

  /** Resolves once the status is such that `holds`. */
  statusUntil(what: string, holds: (status: Status) => boolean): Promise<Status> {
    return this.until(what, async () => {
      const status = await this.status();
      return holds(status) ? status : undefined;
    });
  }

  until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    return until(what, patienceMs, look, lookMs);
  }

  /** A call of the simulator's. */
  simulate(call: string, body: object): Promise<string> {
    return this.guest.told(`curl -sf -m 100 http://127.0.0.1:8090/api/${call} -d '${JSON.stringify(body)}'`);
  }

  /** What the host of an acquirer has in its books. */
  async ledger(host = 'EDC'): Promise<readonly Posting[]> {
    return JSON.parse(await this.guest.told(`curl -sf http://127.0.0.1:8090/api/host/${host}/ledger`)) as Posting[];
  }

  async assertSells(messageId: string): Promise<PosAnswer> {
    const answer = await this.shop.sell(messageId);
    assert.equal(answer.responseResult, 'SUCCESS', JSON.stringify(answer));
    return answer;
  }

  /** The process of the daemon. */
  async pid(): Promise<number> {
    return Number(await this.guest.unit('MainPID'));
  }

  /** Writes settings into a drop-in of the unit, for the next start. */
  async dropIn(settings: string): Promise<void> {
    const dir = '/run/systemd/system/poid.service.d';
    await this.guest.told(`mkdir -p ${dir} && cat > ${dir}/test.conf && systemctl daemon-reload`, {
      input: `[Service]\n${settings}\n`,
    });
  }

  /** What the simulated printer has printed. */
  paper(): Promise<string> {
    return this.guest.told('curl -sf http://127.0.0.1:8090/api/printer/paper');
  }

  /** Starts the simulator anew, with these flags more. */
  async simulatorWith(flags: string): Promise<void> {
    const dir = '/run/systemd/system/poid-sim.service.d';
    const start = `ExecStart=\nExecStart=/usr/bin/poid-sim --sim-dir /var/lib/poid-sim ${flags}`;
    await this.guest.told(
      `systemctl stop poid && mkdir -p ${dir} && cat > ${dir}/test.conf && systemctl daemon-reload`,
      {
        input: `[Service]\n${start}\n`,
      },
    );
    await this.guest.told('systemctl restart poid-sim');
    await this.until('the simulator answers', async () =>
      (await this.guest.run('curl -sf http://127.0.0.1:8090/api/state')).code === 0 ? true : undefined,
    );
  }

  /** Gives the terminal other settings, and starts it with them. `change` also takes those that the simulator wrote. */
  async configure(change: (settings: Settings, simulated: Settings) => Settings): Promise<void> {
    const file = '/etc/poid/poid.json';
    const [own, simulated] = await Promise.all(
      [file, '/var/lib/poid-sim/poid.json'].map(
        async (each) => JSON.parse(await this.guest.told(`cat ${each}`)) as Settings,
      ),
    );
    const input = JSON.stringify(change(own ?? {}, simulated ?? {}));
    await this.guest.told(`systemctl stop poid; cat > ${file}`, { input });
    await this.guest.start();
  }
}
