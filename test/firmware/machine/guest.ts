import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, type Ended } from './agent.ts';
import { Monitor } from './monitor.ts';

/** Some ten times what a machine of its own takes: its processor is emulated, and the tests share theirs. */
const bootMs = 480_000;
const commandMs = 900_000;
const logMs = 60_000;
/** What Linux tells other programs, whatever its own clock is (USER_HZ). */
const ticksPerSecond = 100;

export interface Disk {
  readonly file: string;
  readonly format: 'qcow2' | 'raw';
  readonly isReadOnly?: boolean;
}

/** What the guest is made of. */
export interface Hardware {
  /** Virtio disks: /dev/vda, /dev/vdb… Snapshots need that each is qcow2 or read-only. */
  readonly disks: readonly Disk[];
  /** Without one, the firmware starts what is on the first disk. */
  readonly kernel?: { readonly image: string; readonly initrd: string; readonly commandLine: string };
  readonly memoryMiB?: number;
  /** The battery-backed clock, as an ISO date; default: that of this machine. */
  readonly clock?: string;
  /** More of QEMU's parameters: firmware, devices. */
  readonly more?: readonly string[];
}

export interface BootOptions {
  /**
   * A snapshot to continue, instead of a cold start. Only a new process of QEMU does so: where one goes back to a snapshot,
   * the guest's clock does not, and its watchdogs find that they were not fed.
   */
  readonly snapshot?: string;
}

export interface CommandOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A machine that QEMU emulates, with a shell in it that needs no network. */
export class Guest {
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #dir: string;
  readonly #agent: Agent;
  readonly monitor: Monitor;

  private constructor(process: ChildProcess, dir: string, agent: Agent, monitor: Monitor) {
    this.#process = process;
    this.#ended = once(process, 'close');
    this.#dir = dir;
    this.#agent = agent;
    this.monitor = monitor;
  }

  /** Resolves once a command can be run in it. A start that hangs is tried once more. */
  static async boot(hardware: Hardware, options: BootOptions = {}): Promise<Guest> {
    try {
      return await Guest.#start(hardware, options);
    } catch (error) {
      console.error(`the guest is started once more: ${error instanceof Error ? error.message : String(error)}`);
      return Guest.#start(hardware, options);
    }
  }

  static async #start(hardware: Hardware, options: BootOptions): Promise<Guest> {
    const dir = mkdtempSync(path.join(tmpdir(), 'poid-guest-'));
    const lines = [await listen(path.join(dir, 'agent')), await listen(path.join(dir, 'monitor'))];
    const child = spawn('qemu-system-x86_64', parametersOf(hardware, options, dir), {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const endWithThis = () => child.kill('SIGKILL');
    process.once('exit', endWithThis);
    child.once('close', () => process.off('exit', endWithThis));
    let complaint = '';
    child.stderr.on('data', (text: Buffer) => (complaint += text.toString()));
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`no shell within ${bootMs} ms`)), bootMs);
    child.on('error', reject);
    child.on('close', () => reject(new Error(`QEMU has ended: ${complaint}`)));
    late.catch(() => undefined);
    try {
      const [agentLine, monitorLine] = await Promise.race([Promise.all(lines.map(accept)), late]);
      assert.ok(agentLine && monitorLine);
      const guest = new Guest(child, dir, new Agent(agentLine), new Monitor(monitorLine));
      await Promise.race([options.snapshot === undefined ? guest.#agent.up : guest.outputOf('true'), late]);
      return guest;
    } catch (error) {
      child.kill('SIGKILL');
      const printed = consoleIn(dir).slice(-2_000);
      rmSync(dir, { recursive: true, force: true });
      throw new Error(`${String(error)}\n${printed}`, { cause: error });
    } finally {
      clearTimeout(timer);
      for (const each of lines) each.close();
    }
  }

  /** Runs a shell command in it, as root. Rejects where the guest ends before the command does. */
  run(command: string, options: CommandOptions = {}, ms: number = commandMs): Promise<Ended> {
    const { input, env = {} } = options;
    const variables = Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}\n`);
    const piped = input === undefined ? command : `printf %s ${quote(input)} | { ${command}\n}`;
    return this.#agent.run(`${variables.join('')}${piped}\n`, ms);
  }

  /** What an HTTP server in it answers, with its status as the code: 0 where nobody answers. */
  async call(port: number, at: string, body?: string): Promise<Ended> {
    const head =
      body === undefined ? [`GET ${at} HTTP/1.0`] : [`POST ${at} HTTP/1.0`, 'Content-Type: application/json'];
    const lines = [...head, `Host: 127.0.0.1:${port}`, `Content-Length: ${Buffer.byteLength(body ?? '')}`];
    const reported = await this.#agent.request(port, [...lines, '', body ?? ''].join('\r\n'), commandMs);
    const [, code = '0', said = ''] = /^HTTP\/1\.\d (\d+).*?\r\n\r\n(.*)$/s.exec(reported) ?? [];
    return { code: Number(code), said };
  }

  /** What a command that ends well says. */
  async outputOf(command: string, options: CommandOptions = {}): Promise<string> {
    const { code, said } = await this.run(command, options);
    assert.equal(code, 0, `${command}\n${said}`);
    return said.trimEnd();
  }

  /** Starts the service. */
  async start(verb: 'start' | 'restart' = 'start'): Promise<void> {
    const { code, said } = await this.run(`systemctl ${verb} poid`);
    if (code === 0) return;
    const { said: log } = await this.run('journalctl --sync; journalctl -u poid -n 40 --no-pager');
    assert.fail(`${said}\n${log}`);
  }

  /** Prints the end of the services' log: why a test has failed is in there. */
  async printLog(): Promise<void> {
    const command = 'journalctl --sync; journalctl -u poid -u poid-sim -n 60 --no-pager -o short-monotonic';
    console.error(await this.run(command, {}, logMs).then(({ said }) => said, String));
  }

  /** A property of a unit, as systemd has it now. */
  unit(property: string, unit = 'poid'): Promise<string> {
    return this.outputOf(`systemctl show --value --property=${property} ${unit}`);
  }

  /** Keeps memory and disks under a name, in the disks. */
  keep(snapshot: string): Promise<void> {
    return this.monitor.command(`savevm ${snapshot}`);
  }

  /** Resolves once a command can be run again. */
  async reboot(): Promise<void> {
    const up = this.#agent.up;
    // Its own answer may be lost.
    this.run('systemctl reboot --no-block').catch(() => undefined);
    await up;
  }

  /** For how long its processor was busy: how fast this machine is, and what else it does, is not in it (proc(5), stat). */
  cpuSeconds(): number {
    const [, fields = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${this.#process.pid}/stat`, 'utf8')) ?? [];
    const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
    return (user + system) / ticksPerSecond;
  }

  /** Resolves when the guest has switched itself off, or was. */
  async ended(): Promise<void> {
    await this.#ended;
  }

  /** Ends QEMU in order: its disks have all that the guest has written. */
  async stop(): Promise<void> {
    await this.monitor.execute('quit').catch(() => undefined);
    await this.#away();
  }

  /** A power cut: what no disk has been told to keep may be lost. */
  async cut(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#away();
  }

  async #away(): Promise<void> {
    await this.#ended;
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

/**
 * Of a model that computes nothing in advance (Atom): Linux leaves out its guards against those that do, and the page tables
 * that it would change with each system call are what an emulated processor is slowest at.
 */
const processor = 'Nehalem,model=28,stepping=10';
const board = `-M q35 -accel tcg,thread=multi,tb-size=512 -cpu ${processor} -smp 1 -nodefaults -no-user-config -display none`;

function parametersOf(
  { disks, kernel, memoryMiB = 768, clock, more = [] }: Hardware,
  options: BootOptions,
  dir: string,
) {
  const lines = ['agent', 'monitor'].flatMap((id) => ['-chardev', `socket,id=${id},path=${path.join(dir, id)}`]);
  const booted = kernel && ['-kernel', kernel.image, '-initrd', kernel.initrd, '-append', kernel.commandLine];
  const drives = disks.flatMap(({ file, format, isReadOnly = false }) => [
    '-drive',
    `if=virtio,file=${file},format=${format},readonly=${isReadOnly ? 'on' : 'off'}`,
  ]);
  const serial = ['-serial', `file:${path.join(dir, 'console')}`, '-serial', 'chardev:agent'];
  return [
    ...`${board} -m ${memoryMiB} -device virtio-rng-pci -mon chardev=monitor,mode=control`.split(' '),
    ...[lines, serial, booted ?? [], drives].flat(),
    ...(clock === undefined ? [] : ['-rtc', `base=${clock}`]),
    ...(options.snapshot === undefined ? [] : ['-loadvm', options.snapshot]),
    ...more,
  ];
}

async function listen(at: string): Promise<Server> {
  const server = createServer();
  server.listen(at);
  await once(server, 'listening');
  return server;
}

async function accept(server: Server): Promise<Socket> {
  const [socket] = (await once(server, 'connection')) as [Socket];
  return socket;
}

function consoleIn(dir: string): string {
  const file = path.join(dir, 'console');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
