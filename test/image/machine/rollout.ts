import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Action } from '../../../hw-sim/hawkbit/action.ts';
import { HawkbitServer } from '../../../hw-sim/hawkbit/server.ts';
import type { Guest } from '../../firmware/machine/guest.ts';
import { until } from '../../packaging/machine/container.ts';
import { readBundle } from './images.ts';

/** The one other address in the guest's network. */
const address = '10.0.2.100';
const ca = '/etc/poid/hawkbit-ca.pem';
const token = 'bH7XXAprK1ChnLfKSdtlsp7NOlPnZAYY';
/** The serial number that Shop gives. */
const controllerId = 'TEST-1';
const relay = fileURLToPath(new URL('relay.ts', import.meta.url));
/** Of a download that breaks off. */
const brokenOffAfter = 40_000_000;
const stepMs = 900_000;
const lookMs = 500;

/** hawkBit beside a guest: by HTTPS, with a certificate of an authority of its own, in a network that has nothing else. */
export class Rollout {
  readonly #dir = mkdtempSync(path.join(tmpdir(), 'poid-hawkbit-'));
  readonly hawkbit: HawkbitServer;

  private constructor() {
    makeCertificate(this.#dir);
    const [key, cert] = [this.#read('server.key'), this.#read('server.pem')];
    // An emulated processor has no AES of its own: this takes it less than half of the time.
    const ciphers = 'TLS_CHACHA20_POLY1305_SHA256';
    this.hawkbit = new HawkbitServer({ tls: { key, cert, ciphers }, authorization: `TargetToken ${token}` });
    // An emulated processor has better to do than to ask all the time.
    this.hawkbit.sleep = '00:00:10';
  }

  static async open(): Promise<Rollout> {
    const rollout = new Rollout();
    await rollout.hawkbit.open();
    return rollout;
  }

  async close(): Promise<void> {
    await this.hawkbit.close();
    rmSync(this.#dir, { recursive: true });
  }

  /**
   * QEMU's parameters for the guest's network: a cable, DHCP, and hawkBit. The card has a place of its own (FlashedTerminal), and
   * nothing for the firmware, which would look for a system in the network.
   */
  get network(): string[] {
    const { port } = new URL(this.hawkbit.url);
    const command = `'${process.execPath}' '${relay}' ${port}`.replaceAll(',', ',,');
    const network = `user,id=network,restrict=on,guestfwd=tcp:${address}:443-cmd:${command}`;
    return ['-netdev', network, '-device', 'e1000e,netdev=network,romfile=,addr=0x11'];
  }

  /** What the terminal's configuration says of hawkBit. */
  get settings(): object {
    return { updates: { url: `https://${address}`, ca, pollMs: 5_000 } };
  }

  /** What docs/fleet.md asks of whoever sets the terminal up, beside its configuration. */
  async enrol(guest: Guest): Promise<void> {
    await guest.outputOf(`cat > ${ca}`, { input: this.#read('ca.pem') });
    const sealed = '/etc/credstore.encrypted/poid.update-token';
    await guest.outputOf(`systemd-creds encrypt --name=poid.update-token - ${sealed}`, { input: token });
    await guest.outputOf('systemctl restart poid-update');
  }

  /** `breaksOff`: once, on the way. */
  deploy(bundle: string, { breaksOff = false }: { readonly breaksOff?: boolean } = {}): Action {
    if (breaksOff) this.hawkbit.faults.truncateAfter.push(brokenOffAfter);
    return this.hawkbit.deploy(controllerId, { content: readBundle(bundle) });
  }

  /** Where the downloads of an action began. */
  downloads({ id }: Action): number[] {
    const asked = this.hawkbit.asked.filter((each) => each.includes(`/softwaremodules/${id}/`));
    return asked.map((each) => Number(/ bytes=(\d+)-$/.exec(each)?.[1] ?? 0));
  }

  /** What the terminal has told of itself. */
  get attributes(): Readonly<Record<string, string>> {
    return this.hawkbit.attributesOf(controllerId) ?? {};
  }

  /** Resolves once hawkBit has heard of the action's end. */
  over(action: Action): Promise<unknown> {
    return this.until('hawkBit has heard of the end', () => !action.isActive);
  }

  /** Resolves once it has heard that often that the terminal is at that step. Rejects where the action ends before. */
  heard(action: Action, execution: string, times = 1): Promise<unknown> {
    return this.until(`${execution}, ${times}`, () => {
      if (action.feedback.filter((each) => each.execution === execution).length >= times) return true;
      assert.ok(action.isActive, JSON.stringify(action.feedback));
      return false;
    });
  }

  until(what: string, look: () => boolean): Promise<unknown> {
    return until(what, stepMs, () => (look() ? true : undefined), lookMs);
  }

  #read(name: string): string {
    return readFileSync(path.join(this.#dir, name), 'utf8');
  }
}

/** ca.pem, and server.pem with server.key for the guest's address of it. */
function makeCertificate(dir: string): void {
  const made = (name: string, ...more: readonly string[]) => {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-keyout', `${name}.key`];
    const words = ['req', '-x509', ...key, '-days', '30', '-subj', `/CN=${name}`, '-out', `${name}.pem`, ...more];
    execFileSync('openssl', words, { cwd: dir, stdio: 'pipe' });
  };
  made('ca');
  const extensions = ['basicConstraints=critical,CA:FALSE', `subjectAltName=IP:${address}`];
  made('server', '-CA', 'ca.pem', '-CAkey', 'ca.key', ...extensions.flatMap((each) => ['-addext', each]));
}
