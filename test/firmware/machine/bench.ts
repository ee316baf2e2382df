import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../../bin/poid', import.meta.url));

/** The address of this machine for a guest (QEMU, user networking), and that of the guest. */
const outside = '10.0.2.2';
export const guestAddress = '10.0.2.15/24';

interface Acquirer {
  readonly host?: string;
  readonly url?: string;
}

export interface Posting {
  readonly stan: string;
  readonly status: string;
}

/** A simulator on this machine. Its hosts and their books outlive every guest. */
export class Bench {
  readonly #dir: string;
  readonly #url: string;

  private constructor(dir: string, url: string) {
    this.#dir = dir;
    this.#url = url;
  }

  static async open(t: TestContext): Promise<Bench> {
    const dir = mkdtempSync(path.join(tmpdir(), 'poid-bench-'));
    const child: ChildProcess = spawn(command, ['sim', '--sim-dir', dir, '--sim-port', '0', '--plain-hosts'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const gone = once(child, 'close');
    t.after(async () => {
      child.kill('SIGTERM');
      await gone;
      rmSync(dir, { recursive: true });
    });
    if (!child.stdout) throw new Error('no standard output');
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url === undefined) throw new Error(`the simulator said: ${line}`);
    return new Bench(dir, url);
  }

  /** QEMU's parameters: the reader at a USB serial adapter, and a network that leads to this machine. */
  get wires(): readonly string[] {
    const reader = `serial,id=reader,path=${path.join(this.#dir, 'reader')}`;
    const others =
      '-device qemu-xhci -device usb-serial,chardev=reader -netdev user,id=hosts -device virtio-net-pci,netdev=hosts';
    return ['-chardev', reader, ...others.split(' ')];
  }

  /**
   * The settings of a terminal in a guest: these hosts, this reader, and no other device. The hosts' certificates are
   * for this machine's loopback, so the guest connects without TLS.
   */
  settings(own: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { acquirers } = JSON.parse(readFileSync(path.join(this.#dir, 'poid.json'), 'utf8')) as {
      acquirers: readonly Acquirer[];
    };
    const { printer: _printer, scanner: _scanner, octopus: _octopus, ...rest } = own;
    const reached = acquirers.filter(({ host }) => host !== undefined).map((each) => ({ ...each, host: outside }));
    return {
      ...rest,
      reader: { driver: 'neo2', path: '/dev/ttyUSB0' },
      receipt: { printedBy: 'pos' },
      acquirers: reached,
    };
  }

  async simulate(call: string, body: object): Promise<void> {
    const answer = await fetch(`${this.#url}/api/${call}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${call}: ${await answer.text()}`);
  }

  async ledger(): Promise<readonly Posting[]> {
    return (await (await fetch(`${this.#url}/api/host/EDC/ledger`)).json()) as Posting[];
  }
}
