import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

// Answers are read as the tests find them: an absent field fails its assertion.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface StageOptions {
  /** Merged over the simulator's configuration. */
  readonly configuration?: Json;
  /** Per acquirer, merged over each. */
  readonly acquirer?: Json;
}

/** The whole product: simulator and daemon as two processes, over real ptys and sockets, in a directory of its own. */
export class Stage {
  readonly dir: string;
  readonly #simulator: ChildProcess;
  readonly simUrl: string;
  readonly #configuration: string;
  #daemon: ChildProcess | undefined;
  apiUrl = '';
  screenUrl = '';
  /** All that the daemon has logged, over all its lives. */
  log = '';
  #messages = 0;

  private constructor(dir: string, simulator: ChildProcess, simPort: number, configuration: string) {
    this.dir = dir;
    this.#simulator = simulator;
    this.simUrl = `http://127.0.0.1:${simPort}`;
    this.#configuration = configuration;
  }

  static async open({ configuration = {}, acquirer = {} }: StageOptions = {}): Promise<Stage> {
    const dir = await mkdtemp(path.join(tmpdir(), 'poid-e2e-'));
    const simulator = child('hw-sim/main.ts', ['--sim-port', '0', '--sim-dir', path.join(dir, 'sim')]);
    const [ready] = (await once(simulator, 'message')) as [{ port: number; configuration: string }];
    const base: Json = JSON.parse(await readFile(ready.configuration, 'utf8'));
    const acquirers = base.acquirers.map((each: Json) => ({ ...each, replyTimeoutMs: 700, ...acquirer }));
    const file = path.join(dir, 'poid.json');
    const timeouts = { collectMs: 30_000, reversalWaitMs: 2_000, ...configuration.timeouts };
    await writeFile(file, JSON.stringify({ ...base, ...configuration, acquirers, timeouts }));
    const stage = new Stage(dir, simulator, ready.port, file);
    // A daemon that does not start must not leave its simulator behind: the test process would never end.
    await stage.startDaemon().catch(async (error: unknown) => {
      await stage.close();
      throw error;
    });
    return stage;
  }

  async startDaemon(): Promise<void> {
    const ports = ['--port', '0', '--screen-port', '0'];
    const daemon = child('src/cli.ts', [
      'run',
      '--config',
      this.#configuration,
      '--state-dir',
      this.stateDir,
      ...ports,
    ]);
    daemon.stderr?.on('data', (chunk: Buffer) => (this.log += chunk.toString()));
    this.#daemon = daemon;
    const exited = once(daemon, 'exit').then(() => assert.fail(`the daemon ended at its start: ${this.log}`));
    exited.catch(() => undefined);
    const [ready] = (await Promise.race([once(daemon, 'message'), exited])) as [
      { apiPort: number; screenPort: number },
    ];
    this.apiUrl = `http://127.0.0.1:${ready.apiPort}`;
    this.screenUrl = `http://127.0.0.1:${ready.screenPort}`;
  }

  get stateDir(): string {
    return path.join(this.dir, 'state');
  }

  get daemonPid(): number {
    return this.#daemon?.pid ?? assert.fail('no daemon runs');
  }

  /** Ends the daemon: SIGKILL is the power cut of a process, SIGTERM an orderly stop. */
  async stopDaemon(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const daemon = this.#daemon;
    if (!daemon || daemon.exitCode !== null || daemon.signalCode !== null) return;
    const exited = once(daemon, 'exit');
    daemon.kill(signal);
    await exited;
  }

  async close(): Promise<void> {
    await this.stopDaemon('SIGTERM');
    if (this.#simulator.exitCode === null) {
      const exited = once(this.#simulator, 'exit');
      this.#simulator.kill('SIGTERM');
      await exited;
    }
    await rm(this.dir, { recursive: true });
  }

  /** A SALE of 30 HKD under a new messageId, or what `fields` say instead. */
  saleRequest(fields: Json = {}): Json {
    const messageId = `M-${++this.#messages}`;
    return { posId: 'POS-1', messageId, transactionType: 'SALE', requestAmount: 30, currency: 'HKD', ...fields };
  }

  payment(request: Json): Promise<HttpAnswer> {
    return this.post('payment', request);
  }

  /** Pays with a card held to the reader. */
  async paid(card: string, fields: Json = {}): Promise<HttpAnswer> {
    const answer = this.payment(this.saleRequest(fields));
    answer.catch(() => undefined);
    await this.tap(card);
    return answer;
  }

  async tap(card: string): Promise<void> {
    const { status, body } = await this.sim('POST', '/api/reader/tap', { card });
    assert.equal(status, 200, `the tap was not read: ${JSON.stringify(body)}`);
  }

  post(call: string, body: Json): Promise<HttpAnswer> {
    return http('POST', `${this.apiUrl}/sp/v1/${call}`, body);
  }

  async status(): Promise<Json> {
    return (await http('GET', `${this.apiUrl}/sp/v1/status`)).body;
  }

  sim(method: string, call: string, body?: Json): Promise<HttpAnswer> {
    return http(method, this.simUrl + call, body);
  }

  async host(id: 'EDC' | 'CUP', mode: Json): Promise<void> {
    const { status, body } = await this.sim('POST', `/api/host/${id}`, mode);
    assert.equal(status, 200, JSON.stringify(body));
  }

  async ledger(id: 'EDC' | 'CUP' = 'EDC'): Promise<Json[]> {
    return (await this.sim('GET', `/api/host/${id}/ledger`)).body;
  }

  async posted(id: 'EDC' | 'CUP' = 'EDC'): Promise<Json[]> {
    return (await this.ledger(id)).filter((entry) => entry.status === 'POSTED');
  }

  async paper(): Promise<string> {
    return (await fetch(`${this.simUrl}/api/printer/paper`)).text();
  }

  /** Bytes that a device or host of the simulator did not expect: none, after every test. */
  async unexpected(): Promise<Json[]> {
    const { body } = await this.sim('GET', '/api/state');
    return [body.reader, body.printer, ...Object.values<Json>(body.hosts)].flatMap((part) => part.unexpected);
  }

  /** What the screen shows from now on, up to `last`; the view that stands there already is not among them. */
  async scenes(): Promise<{ until(last: string): Promise<string[]> }> {
    const response = await fetch(`${this.screenUrl}/events`);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail('no event stream');
    let text = '';
    const next = async () => {
      for (;;) {
        const end = text.indexOf('\n\n');
        const data = end < 0 ? undefined : /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
        if (end >= 0) text = text.slice(end + 2);
        if (data !== undefined) return JSON.parse(data).scene as string;
        if (end >= 0) continue;
        const { value, done } = await reader.read();
        if (done) return assert.fail('the event stream ended');
        text += value;
      }
    };
    await next();
    return {
      async until(last) {
        const scenes: string[] = [];
        while (scenes.at(-1) !== last) scenes.push(await next());
        await reader.cancel();
        return scenes;
      },
    };
  }
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: Json;
}

export async function http(method: string, url: string, body?: Json): Promise<HttpAnswer> {
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** Asks again until the answer is there. The deadline is the test's own. */
export async function eventually<T>(ask: () => Promise<T>, enough: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await ask();
    if (enough(value)) return value;
    await pause(10);
  }
}

function child(main: string, parameters: readonly string[]): ChildProcess {
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] } as const;
  const started = fork(path.join(root, main), parameters, { ...options, stdio: [...options.stdio] });
  started.stderr?.setEncoding('utf8');
  return started;
}
