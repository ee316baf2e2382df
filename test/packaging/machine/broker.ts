import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from './container.ts';
import { type DocumentedTerminal, settingsOf, shellOf } from './documented.ts';

const startMs = 30_000;

/** Beside the three of docs/cloud.md: the desk of docs/fleet.md, which reads what the broker has retained, and publishes documents. */
const menu = `user desk
topic read poid/v1/+/status
topic read poid/v1/+/configuration/state
topic read poid/v1/+/books/state
topic write poid/v1/+/configuration
`;

/** The broker of docs/cloud.md in the terminal's network, and the fleet of docs/fleet.md. */
export class Broker {
  /** `cloud` and `fleet` of the terminal's file: `updates` is for images. */
  readonly settings: object;
  /** Flags of `poid fleet status`. */
  readonly flags = '--url mqtts://127.0.0.1:8883 --ca ca.pem --certificate desk.pem --key desk.key';
  readonly #terminal: DocumentedTerminal;
  readonly #dir: string;

  private constructor(terminal: DocumentedTerminal, dir: string, settings: object) {
    this.#terminal = terminal;
    this.#dir = dir;
    this.settings = settings;
  }

  static async start(terminal: DocumentedTerminal): Promise<Broker> {
    const dir = mkdtempSync(path.join(tmpdir(), 'poid-broker-'));
    const { container } = terminal;
    const here = { cwd: dir };
    await container.beside(shellOf('cloud.md', 'shops CA'), here);
    const certificates = shellOf('cloud.md', 'for name in broker T-1 till;');
    await container.beside(certificates.replace('broker T-1 till;', 'broker T-1 till desk;'), here);
    await container.beside(shellOf('cloud.md', 'cat >acl'), here);
    appendFileSync(path.join(dir, 'acl'), menu);
    await container.beside(shellOf('cloud.md', 'cat >mosquitto.conf'), here);
    // It has no user of its own here.
    appendFileSync(path.join(dir, 'mosquitto.conf'), `user root\npid_file ${dir}/pid\nlog_dest file ${dir}/log\n`);
    await container.beside('mosquitto -d -c mosquitto.conf', here);
    await until('the broker runs', startMs, async () => /running/.test(read(path.join(dir, 'log'))) || undefined);
    for (const each of ['ca.pem', 'T-1.pem', 'T-1.key'])
      cpSync(path.join(dir, each), terminal.outside(`/root/${each}`));
    await container.outputOf(shellOf('cloud.md', 'install -m'), { cwd: '/root' });
    for (const each of ['ca.pem', 'desk.pem', 'desk.key']) terminal.giveTill(path.join(dir, each));
    const fleet = settingsOf('fleet.md', 'fleet');
    fleet.fleet.publicKeys = [terminal.fleetKey];
    const settings = { ...settingsOf('cloud.md', 'cloud'), ...fleet };
    return new Broker(terminal, dir, settings);
  }

  /** Publishes the configuration of docs/fleet.md, and resolves once the terminal uses it. */
  async publish(): Promise<void> {
    const { code, said } = await this.#terminal.asTill('poid fleet sign configuration-7.json --key fleet.key');
    assert.equal(code, 0, said);
    const file = path.join(this.#dir, 'configuration-7.json');
    cpSync(this.#terminal.outside('/srv/till/configuration-7.json'), file);
    const asBackOffice = '-h 127.0.0.1 -p 8883 --cafile ca.pem --cert desk.pem --key desk.key';
    const message = `-t poid/v1/T-1/configuration -f configuration-7.json -D publish user-property signature ${said.trim()}`;
    await this.#terminal.container.beside(`mosquitto_pub -V 5 -q 1 -r ${message} ${asBackOffice}`, { cwd: this.#dir });
    await until('version 7 is in use', startMs, async () => {
      const { code: found, said: table } = await this.#terminal.asTill(`poid fleet status --json ${this.flags}`);
      return found === 0 && /"version":7\b/.test(table.replaceAll(/\s/g, '')) ? true : undefined;
    });
  }

  async stop(): Promise<void> {
    process.kill(Number(read(path.join(this.#dir, 'pid'))));
    rmSync(this.#dir, { recursive: true });
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It has not begun to write.
    return '';
  }
}
