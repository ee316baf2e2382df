import assert from 'node:assert/strict';
import { constants, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test, type TestOptions } from 'node:test';
import { type PosAnswer, Shop } from '../../packaging/machine/shop.ts';
import { until } from '../../packaging/machine/container.ts';
import { Guest } from './guest.ts';
import { patience } from './patience.ts';
import { machineWith, readySnapshot, terminalDisk } from './terminal-disk.ts';

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

/** Its copy of the disk: the snapshot is in there. An overlay would not have it. */
const disk = path.join(mkdtempSync(path.join(tmpdir(), 'poid-disk-')), 'terminal.qcow2');
process.once('exit', () => rmSync(path.dirname(disk), { recursive: true, force: true }));

/** What the test before has left. */
let left: ReadyTerminal | undefined;
after(() => left?.guest.stop());

/**
 * A test that begins at a terminal which is up and has sold: that of the snapshot, or that of a test before, which has
 * shown at its end that it sells. After one that has failed it is the snapshot's again.
 */
export function testReady(
  name: string,
  body: (terminal: ReadyTerminal) => Promise<void>,
  options: TestOptions = {},
): void {
  test(name, options, async (t) => {
    const terminal = left ?? (await ReadyTerminal.restore());
    left = undefined;
    const before = terminal.guest.cpuSeconds();
    try {
      await body(terminal);
      await terminal.assertSells('last');
      left = terminal;
    } catch (error) {
      await terminal.guest.printLog();
      throw error;
    } finally {
      t.diagnostic(`the emulated processor was busy for ${(terminal.guest.cpuSeconds() - before).toFixed(0)} s`);
      if (left === undefined) await terminal.guest.stop();
    }
  });
}

/** A terminal in a guest that continues where ready-disk.ts ended: simulator and daemon run, and a card could be tapped. */
export class ReadyTerminal {
  readonly guest: Guest;
  readonly shop: Shop;
  /** Its disk, which holds the snapshot too. */
  readonly disk = disk;
  #sales = 0;
  #provisioned: Settings | undefined;

  private constructor(guest: Guest) {
    this.guest = guest;
    this.shop = new Shop(guest, { readyMs: patience.ms, lookMs: patience.lookMs, connectMs: 30_000 });
  }

  static async restore(): Promise<ReadyTerminal> {
    if (!existsSync(disk)) copyFileSync(terminalDisk, disk, constants.COPYFILE_FICLONE);
    return new ReadyTerminal(await Guest.boot(machineWith(disk), { snapshot: readySnapshot }));
  }

  /** Empty while nobody answers. */
  async status(): Promise<Status> {
    const { said } = await this.guest.call(8080, '/sp/v1/status');
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
    return until(what, patience.ms, look, patience.lookMs);
  }

  /** A call of the simulator's: GET without a body. */
  async simulate(call: string, body?: object): Promise<string> {
    const { code, said } = await this.guest.call(8090, `/api/${call}`, body && JSON.stringify(body));
    assert.equal(code, 200, `${call}: ${said}`);
    return said;
  }

  /** What the host of an acquirer has in its books. */
  async ledger(host = 'EDC'): Promise<readonly Posting[]> {
    return JSON.parse(await this.simulate(`host/${host}/ledger`)) as Posting[];
  }

  /** The sale's messageId is `name` with a number. */
  async assertSells(name: string): Promise<PosAnswer> {
    const answer = await this.shop.sell(`${name}-${++this.#sales}`);
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
    await this.guest.outputOf(`mkdir -p ${dir} && cat > ${dir}/test.conf && systemctl daemon-reload`, {
      input: `[Service]\n${settings}\n`,
    });
  }

  /** What the simulated printer has printed. */
  paper(): Promise<string> {
    return this.simulate('printer/paper');
  }

  /** Starts the simulator anew, with these flags more. */
  async simulatorWith(flags: string): Promise<void> {
    const dir = '/run/systemd/system/poid-sim.service.d';
    const start = `ExecStart=\nExecStart=/usr/bin/poid-sim --sim-dir /var/lib/poid-sim ${flags}`;
    const input = `[Service]\n${start}\n`;
    await this.guest.outputOf(
      `systemctl stop poid && mkdir -p ${dir} && cat > ${dir}/test.conf && systemctl daemon-reload && systemctl restart poid-sim`,
      { input },
    );
    await this.until('the simulator answers', async () =>
      (await this.guest.call(8090, '/api/state')).code === 200 ? true : undefined,
    );
  }

  /** Starts the terminal with other settings, made of those that it was provisioned with and those that the simulator wrote. */
  async configure(change: (settings: Settings, simulated: Settings) => Settings): Promise<void> {
    const file = '/etc/poid/poid.json';
    const read = await this.guest.outputOf(`tr -d '\\n' < ${file}; echo; tr -d '\\n' < /var/lib/poid-sim/poid.json`);
    const [own = {}, simulated = {}] = read.split('\n').map((each) => JSON.parse(each) as Settings);
    this.#provisioned ??= own;
    const input = JSON.stringify(change(this.#provisioned, simulated));
    await this.guest.outputOf(`systemctl stop poid; cat > ${file}; systemctl start poid`, { input });
  }
}
