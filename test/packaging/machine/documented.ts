import assert from 'node:assert/strict';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { blocksOf } from '../../outside/markdown.ts';
import { Container, type Ended, freshRoot, removeRoot, until } from './container.ts';
import { packageFile } from './packages.ts';

const project = fileURLToPath(new URL('../../..', import.meta.url));
const endMs = 60_000;
/** Of a till at the shell, who has no right on the machine on which it runs. */
const tillDir = '/srv/till';
const nobody = 65_534;

// What a configuration holds is checked by the terminal.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/** The address that docs/pairing.md has for the terminal. */
export const address = '192.168.1.5';
export const serialNumber = 'PT-000123';
/** What a container can't have: there is no time server, and the clock is not its own. */
const lacking = ['clock'];

/** The shell blocks of a document, with these words in them. */
export function shellOf(document: string, words: string): string {
  const file = path.join('docs', document);
  const blocks = blocksOf(file, readFileSync(path.join(project, file), 'utf8'));
  const found = blocks.filter(({ language, text }) => language === 'sh' && text.includes(words));
  assert.equal(found.length, 1, `${file} has ${found.length} shell blocks with ${words}`);
  return found[0]?.text ?? '';
}

/** The JSON that a document shows for one part of the configuration. */
export function settingsOf(document: string, part: string): Json {
  const file = path.join('docs', document);
  const blocks = blocksOf(file, readFileSync(path.join(project, file), 'utf8'));
  return JSON.parse(blocks.find(({ mark }) => mark === `configuration: ${part}`)?.text ?? assert.fail(part));
}

/** Of the unit, what restricts its processes: when they are started, and what they are, is each command's own. */
const ofStart =
  /^(?:Type|NotifyAccess|Exec(?:Start|StartPost|StopPost)|Restart\w*|Timeout\w+|WatchdogSec|KillMode|LogRateLimit\w+)=/;

/** Debian 12 in a container with one network, on which a terminal is installed as the documents say. */
export class DocumentedTerminal {
  readonly container: Container;
  readonly #root: string;
  #restrictions = '';
  #fleetKey = '';

  private constructor(container: Container, root: string) {
    this.container = container;
    this.#root = root;
  }

  static async boot(): Promise<DocumentedTerminal> {
    const root = freshRoot();
    for (const name of ['poid', 'poid-sim'] as const) {
      cpSync(packageFile(name), path.join(root, 'root', path.basename(packageFile(name))));
    }
    const terminal = new DocumentedTerminal(await Container.boot(root), root);
    // The cable, and the router at its other end.
    const { container } = terminal;
    await container.beside(
      `ip link add shop0 type veth peer name router0; ip address add ${address}/24 dev shop0
       ip link set shop0 up; ip link set router0 up; ip route add default dev shop0`,
    );
    mkdirSync(terminal.outside(tillDir));
    chownSync(terminal.outside(tillDir), nobody, nobody);
    return terminal;
  }

  async close(): Promise<void> {
    await this.container.stop();
    removeRoot(this.#root);
  }

  /** Where a path of the terminal is for this process. */
  outside(file: string): string {
    return path.join(this.#root, file);
  }

  /** docs/manufacturing.md, 1 */
  async install(): Promise<void> {
    await this.container.outputOf('apt-get install -y ./poid_*.deb ./poid-sim_*.deb', { cwd: '/root' });
    const unit = await this.container.outputOf('cat /lib/systemd/system/poid.service');
    const settings = /^\[Service\]\n(.*?)^\[/ms.exec(unit)?.[1]?.split('\n') ?? [];
    const kept = settings.filter((line) => /^\w+=/.test(line) && !ofStart.test(line));
    assert.ok(kept.some((line) => line.startsWith('RestrictAddressFamilies=')));
    this.#restrictions = kept.map((line) => `-p '${line}'`).join(' ');
    await this.#makeFleet();
  }

  /** What `poid config sample` prints, with the simulator's devices and hosts where the sample says that its own are examples. */
  async sample(): Promise<Json> {
    const configuration = JSON.parse(await this.container.outputOf('poid config sample 2> /run/examples'));
    const said = await this.container.outputOf('cat /run/examples');
    const examples = /^These settings hold examples: (.*)\.$/m.exec(said)?.[1]?.split(', ') ?? [];
    const file = '/var/lib/poid-sim/poid.json';
    const simulated: Json = await until('the simulator has written its configuration', endMs, async () => {
      const { code, said: text } = await this.container.run(`cat ${file}`);
      return code === 0 && text !== '' ? JSON.parse(text) : undefined;
    });
    for (const each of examples) {
      const [part = '', at = '', setting = ''] = each.split('.');
      if (part === 'shop' || part === 'pairing') continue;
      if (part === 'acquirers') {
        const acquirer = configuration.acquirers[at];
        acquirer[setting] = simulated.acquirers.find(({ id }: Json) => id === acquirer.id)[setting];
      } else configuration[part] = simulated[part];
    }
    return configuration;
  }

  /** docs/manufacturing.md, 2 to 4, but for the sale. Resolves with what the self-test and the doctor find failing. */
  async provision(configuration: object): Promise<readonly string[]> {
    const file = '/root/PT-000123.json';
    await this.container.outputOf(`cat > ${file}`, { input: JSON.stringify({ ...configuration, serialNumber }) });
    await this.container.outputOf(`poid provision --dry-run ${file}`);
    const { said } = await this.container.run(`poid provision ${file}`);
    assert.match(said, /^the terminal PT-000123 is provisioned/m);
    const failing = await this.failing('poid selftest --unattended');
    await this.container.start();
    return [...failing, ...(await this.failing('poid doctor'))];
  }

  /** The parts that a command finds failing, but those that a container lacks. */
  async failing(command: string): Promise<string[]> {
    const { said } = await this.container.run(`${command} --json`);
    const { findings } = JSON.parse(said) as { findings: { part: string; verdict: string; detail: string }[] };
    return findings
      .filter(({ part, verdict }) => verdict === 'FAIL' && !lacking.includes(part))
      .map(({ part, detail }) => `${part}: ${detail}`);
  }

  /** Runs a command as the service's user within the restrictions of the installed unit, and with its keys. */
  asService(command: string, input = ''): Promise<Ended> {
    return this.container.run(`systemd-run --quiet --wait --pipe --collect ${this.#restrictions} ${command}`, {
      input,
    });
  }

  /** Runs a command as somebody who is nobody on this machine, in a directory of theirs. */
  asTill(command: string, input = ''): Promise<Ended> {
    const somebody = `setpriv --reuid=${nobody} --regid=${nobody} --clear-groups`;
    return this.container.run(`${somebody} ${command}`, { input, cwd: tillDir, env: { HOME: tillDir } });
  }

  /** Copies a file to the till's directory. */
  giveTill(file: string): void {
    const copy = this.outside(path.join(tillDir, path.basename(file)));
    cpSync(file, copy);
    chownSync(copy, nobody, nobody);
  }

  /** The fleet's public key, of the pair that the till's directory has with a document to sign (docs/fleet.md). */
  get fleetKey(): string {
    return this.#fleetKey;
  }

  async #makeFleet(): Promise<void> {
    const dir = mkdtempSync(path.join(tmpdir(), 'poid-fleet-'));
    try {
      this.#fleetKey = await this.container.beside(shellOf('fleet.md', 'openssl genpkey'), { cwd: dir });
      this.giveTill(path.join(dir, 'fleet.key'));
    } finally {
      rmSync(dir, { recursive: true });
    }
    // It must count today, and this terminal is no image.
    const block = shellOf('fleet.md', 'cat > configuration-7.json')
      .replace('2026-12-01', '2026-01-01')
      .replace(/,\n *"updates".*/, '');
    const { code, said } = await this.asTill('sh -es', block);
    assert.equal(code, 0, said);
  }

  /** What is wrong with the service since its last start, in sentences: none of it may be, but what a container lacks. */
  async complaints(): Promise<readonly string[]> {
    const { container } = this;
    const [state, status] = await Promise.all(['ActiveState', 'StatusText'].map((each) => container.unit(each)));
    const since = `_SYSTEMD_INVOCATION_ID=${await container.unit('InvocationID')}`;
    const log = await container.outputOf(`journalctl --sync; journalctl ${since} -p warning -o cat --no-pager`);
    return [
      ...(state === 'active' && status === 'listening on port 8080' ? [] : [`unit: ${state}, ${status}`]),
      ...log.split('\n').filter((line) => line !== '' && !line.includes('"msg":"clock"')),
      ...(await this.failing('poid doctor')),
    ];
  }
}
