import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { noteReasons } from '../support/reported-reasons.ts';
import { daemonModule, simulatorModule } from '../support/programs.ts';
import { ServerEvents } from './server-events.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

// Answers are not typed: an absent field fails the test's assertion.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface StageOptions {
  /** Merged over the simulator's configuration. */
  readonly configuration?: Json;
  /** Merged over the simulator's printer. */
  readonly printer?: Json;
  /** Per acquirer, merged over each. */
  readonly acquirer?: Json;
  /** Merged over the acquirer of this id. */
  readonly acquirers?: Readonly<Record<string, Json>>;
  /** The terminal's acquirers with a host; all by default. */
  readonly hosts?: readonly HostName[];
  /** Value of the simulator's --reader. */
  readonly reader?: string;
  /** Key scheme of the reader; TDES by default. */
  readonly key?: 'tdes' | 'aes';
  /** Further flags of the simulator. */
  readonly flags?: readonly string[];
  /** The daemon's command, bin/poid of an installed tree; by default that of test/support/programs.ts. */
  readonly program?: string;
  /** Environment of the daemon, in addition to this process's. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Acquirers that have a host of their own. */
export type HostName = 'EDC' | 'CUP' | 'EPS' | 'QR';
/** BANK is the host of --dialect, EDC-2 the second site of EDC with --sites. */
type AnyHost = HostName | 'BANK' | 'EDC-2';

/** A way to pay: fields of the request, and actions of customer and merchant. */
export interface Paying {
  /** Fields of the request. */
  readonly request: Json;
  /** The actions between the request and its answer. */
  readonly present: (stage: Stage) => Promise<void>;
}

/** How long a test waits for a result that should come at once. */
const patienceMs = 15_000;

/**
 * Short time-outs, because nobody waits at the counter: wallets are polled often, and Octopus cards come back at once.
 */
const hasty = {
  collectMs: 30_000,
  reversalWaitMs: 2_000,
  noRecordGraceMs: 800,
  walletPollMs: 30,
  walletResolveMs: 300,
  octopusRetryMs: 30,
};

/** The whole product: simulator and daemon as two processes, over real ptys and sockets, in a directory of its own. */
export class Stage {
  readonly dir: string;
  readonly #simulator: ChildProcess;
  readonly simUrl: string;
  readonly configuration: string;
  readonly #program: string;
  readonly #environment: Readonly<Record<string, string>>;
  #daemon: ChildProcess | undefined;
  apiUrl = '';
  screenUrl = '';
  /** The daemon's log, across all its starts. */
  log = '';
  #messages = 0;

  private constructor(
    dir: string,
    simulator: ChildProcess,
    simPort: number,
    configuration: string,
    { program = daemonModule, environment = {} }: StageOptions,
  ) {
    this.dir = dir;
    this.#simulator = simulator;
    this.simUrl = `http://127.0.0.1:${simPort}`;
    this.configuration = configuration;
    this.#program = program;
    this.#environment = environment;
  }

  static async open(options: StageOptions = {}): Promise<Stage> {
    const {
      configuration = {},
      printer,
      acquirer = {},
      acquirers: own = {},
      hosts,
      reader = 'neo2',
      key = 'tdes',
      flags = [],
    } = options;
    const dir = await mkdtemp(path.join(tmpdir(), 'poid-e2e-'));
    const place = ['--sim-port', '0', '--sim-dir', path.join(dir, 'sim')];
    const simulator = child(simulatorModule, [...place, '--reader', reader, '--key', key, ...flags]);
    let log = '';
    simulator.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const ready = await started<{ port: number; configuration: string }>(simulator, () => log);
    const base: Json = JSON.parse(await readFile(ready.configuration, 'utf8'));
    const acquirers = base.acquirers
      .filter(({ id }: Json) => hosts?.includes(id) ?? true)
      .map((each: Json) => ({
        ...each,
        replyTimeoutMs: 700,
        ...(each.protocol === 'qfpay' ? { queryLagMs: 800 } : {}),
        ...acquirer,
        ...own[each.id],
      }));
    const file = path.join(dir, 'poid.json');
    const slowestMs = Math.max(...acquirers.map(({ replyTimeoutMs }: Json) => replyTimeoutMs));
    const slower = { noRecordGraceMs: Math.max(hasty.noRecordGraceMs, slowestMs + 100) };
    const timeouts = { ...base.timeouts, ...hasty, ...slower, ...configuration.timeouts };
    // The simulated printer needs no time for a line.
    const printing = { printer: { ...base.printer, lineTimeMs: 1, ...printer } };
    await writeFile(file, JSON.stringify({ ...base, ...printing, ...configuration, acquirers, timeouts }));
    const stage = new Stage(dir, simulator, ready.port, file, options);
    // A daemon that does not start must not leave its simulator behind: the test process would never end.
    await stage.startDaemon().catch(async (error: unknown) => {
      await stage.close();
      throw error;
    });
    return stage;
  }

  async startDaemon(): Promise<void> {
    const ports = ['--port', '0', '--screen-port', '0'];
    const flags = ['run', '--config', this.configuration, '--state-dir', this.stateDir, ...ports];
    const daemon = child(this.#program, flags, { ...recorderOfAnswers(this.#program), ...this.#environment });
    daemon.stderr?.on('data', (chunk: Buffer) => (this.log += chunk.toString()));
    this.#daemon = daemon;
    const ready = await started<{ apiPort: number; screenPort: number }>(daemon, () => this.log);
    this.apiUrl = `http://127.0.0.1:${ready.apiPort}`;
    this.screenUrl = `http://127.0.0.1:${ready.screenPort}`;
  }

  get stateDir(): string {
    return path.join(this.dir, 'state');
  }

  get running(): boolean {
    return this.#daemon?.exitCode === null && this.#daemon.signalCode === null;
  }

  get daemonPid(): number {
    return this.#daemon?.pid ?? assert.fail('no daemon runs');
  }

  /** Sends a message over the daemon's IPC channel. */
  sendToDaemon(message: Json): void {
    this.#daemon?.send(message);
  }

  get simulatorPid(): number {
    return this.#simulator.pid ?? assert.fail('no simulator runs');
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

  /** A SALE of 30 HKD under a new messageId; `fields` override it. */
  saleRequest(fields: Json = {}): Json {
    const messageId = `M-${++this.#messages}`;
    return { posId: 'POS-1', messageId, transactionType: 'SALE', requestAmount: 30, currency: 'HKD', ...fields };
  }

  /** The identity of a call under a new messageId. */
  named(): { readonly posId: string; readonly messageId: string } {
    const { posId, messageId } = this.saleRequest();
    return { posId, messageId };
  }

  payment(request: Json): Promise<HttpAnswer> {
    return this.post('payment', request);
  }

  /** Starts a payment; the customer comes later. */
  begun(fields: Json = {}): Begun {
    const request = this.saleRequest(fields);
    const answer = this.payment(request);
    // It may end, or its terminal be killed, before the test awaits it.
    answer.catch(() => undefined);
    return { request, answer };
  }

  /** Pays by a tapped card, or as `way` says. */
  async paid(way: string | Paying, fields: Json = {}): Promise<HttpAnswer> {
    const { answer } = this.begun(typeof way === 'string' ? fields : { ...way.request, ...fields });
    await (typeof way === 'string' ? this.tap(way) : way.present(this));
    return answer;
  }

  tap(card: string): Promise<void> {
    return this.does('/api/reader/tap', { card });
  }

  insert(card: string): Promise<void> {
    return this.does('/api/reader/insert', { card });
  }

  swipe(card: string): Promise<void> {
    return this.does('/api/reader/swipe', { card });
  }

  enterPin(pin: string): Promise<void> {
    return this.does('/api/pin-pad/enter', { pin });
  }

  scan(code: string): Promise<void> {
    return this.does('/api/scanner/scan', { code });
  }

  tapOctopus(card: string): Promise<void> {
    return this.does('/api/octopus/tap', { card });
  }

  payCode(qr: string): Promise<void> {
    return this.does('/api/wallet/pay', { qr });
  }

  /** A new code of the customer's phone. */
  async walletCode(wallet: string): Promise<string> {
    const { body } = await this.sim('POST', '/api/wallet/code', { wallet });
    return body.code;
  }

  /** A call of the simulator; it waits until the terminal asks for it. */
  async does(call: string, body: Json = {}): Promise<void> {
    const { status, body: answer } = await this.sim('POST', call, body);
    assert.equal(status, 200, `${call}: ${JSON.stringify(answer)}`);
  }

  fault(device: 'reader' | 'printer' | 'scanner' | 'octopus', body: Json): Promise<void> {
    return this.does(`/api/${device}/fault`, body);
  }

  post(call: string, body: Json): Promise<HttpAnswer> {
    return http('POST', `${this.apiUrl}/sp/v1/${call}`, body);
  }

  enquiry({ posId, messageId }: Json): Promise<HttpAnswer> {
    return this.post('enquiry', { posId, messageId });
  }

  cancel({ posId, messageId }: Json): Promise<HttpAnswer> {
    return this.post('cancel', { posId, messageId });
  }

  settle(fields: Json = {}): Promise<HttpAnswer> {
    const { posId, messageId } = this.saleRequest();
    return this.post('settlement', { posId, messageId, ...fields });
  }

  async status(): Promise<Json> {
    return (await http('GET', `${this.apiUrl}/sp/v1/status`)).body;
  }

  sim(method: string, call: string, body?: Json): Promise<HttpAnswer> {
    return http(method, this.simUrl + call, body);
  }

  async bench(): Promise<Json> {
    return (await this.sim('GET', '/api/state')).body;
  }

  host(id: AnyHost, mode: Json): Promise<void> {
    return this.does(`/api/host/${id}`, mode);
  }

  async ledger(id: AnyHost = 'EDC'): Promise<Json[]> {
    return (await this.sim('GET', `/api/host/${id}/ledger`)).body;
  }

  async octopusLedger(): Promise<Json[]> {
    return (await this.sim('GET', '/api/octopus/ledger')).body;
  }

  async posted(id: HostName = 'EDC'): Promise<Json[]> {
    return (await this.ledger(id)).filter((entry) => entry.status === 'POSTED');
  }

  async paper(): Promise<string> {
    return (await fetch(`${this.simUrl}/api/printer/paper`)).text();
  }

  /** Bytes that a device or host of the simulator did not expect: none, after every test. */
  async unexpected(): Promise<Json[]> {
    const { reader, printer, scanner, octopus, hosts } = await this.bench();
    return [reader, printer, scanner, octopus, ...Object.values<Json>(hosts)].flatMap((part) => part.unexpected);
  }

  /**
   * Waits until no device waits for a card, code or PIN. The scanner acknowledges nothing, so it gets a moment to
   * stop.
   */
  async assertDisarmed(): Promise<void> {
    const now = armed(await this.bench()).filter((name) => name !== 'scanner');
    assert.deepEqual(now, []);
    await eventually(
      () => this.bench(),
      ({ scanner }) => scanner.triggered === false,
    );
  }

  /** Waits until the screen fulfils a condition, and returns it; never the view of an earlier payment. */
  async view(wanted: (view: Json) => boolean = () => true): Promise<Json> {
    const events = await ServerEvents.open(`${this.screenUrl}/events`);
    const giveUp = setTimeout(() => events.close(), patienceMs);
    let view: Json;
    try {
      for (;;) {
        const event = (await events.next()) ?? assert.fail(`the screen showed last ${JSON.stringify(view)}`);
        if (event.event === 'desk') continue;
        view = JSON.parse(event.data);
        if (wanted(view)) return view;
      }
    } finally {
      clearTimeout(giveUp);
      events.close();
    }
  }

  /** What the idle screen tells the merchant. */
  async menu(): Promise<Json> {
    const events = await ServerEvents.open(`${this.screenUrl}/events`);
    try {
      for (;;) {
        const event = (await events.next()) ?? assert.fail('the screen went away');
        if (event.event === 'desk') return JSON.parse(event.data);
      }
    } finally {
      events.close();
    }
  }

  /** Presses a button of the terminal's page, once the page shows its scene. */
  async act(scene: string, action: Json): Promise<void> {
    const { transaction } = await this.view((view) => view.scene === scene);
    await this.action(transaction, action);
  }

  async action(transaction: string, action: Json): Promise<void> {
    const response = await fetch(`${this.screenUrl}/action`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: this.screenUrl },
      body: JSON.stringify({ transaction, ...action }),
    });
    assert.equal(response.status, 204, await response.text());
  }

  /** The views of the screen from now on, up to `last`, without the current one. */
  async scenes(): Promise<{ until(last: string): Promise<string[]> }> {
    const events = await ServerEvents.open(`${this.screenUrl}/events`);
    const next = async (): Promise<string> => {
      const { event, data } = (await events.next()) ?? assert.fail('the screen went away');
      return event === 'desk' ? next() : JSON.parse(data).scene;
    };
    await next();
    return {
      async until(last) {
        const scenes: string[] = [];
        while (scenes.at(-1) !== last) scenes.push(await next());
        events.close();
        return scenes;
      },
    };
  }
}

/** A payment that waits for its customer. */
export interface Begun {
  readonly request: Json;
  readonly answer: Promise<HttpAnswer>;
}

/** The devices in the simulator's state that wait for a customer. */
export function armed({ reader, scanner, octopus, hosts }: Json): string[] {
  const waiting = {
    reader: reader.armed,
    chip: reader.chipWaits,
    pinPad: reader.pinPad.asking,
    scanner: scanner.triggered,
    octopus: octopus.polling,
    code: hosts.QR.onShow !== null,
  };
  return Object.entries(waiting).flatMap(([name, waits]) => (waits ? [name] : []));
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
  const answer: Json = await response.json();
  noteReasons(answer);
  return { status: response.status, body: answer };
}

/** Polls until a condition holds. The failure says what was there instead, before the test's own deadline ends it. */
export async function eventually<T>(
  ask: () => Promise<T>,
  enough: (value: T) => boolean,
  withinMs = patienceMs,
): Promise<T> {
  const until = Date.now() + withinMs;
  // Polls often at first, then less often: a poll costs both processes more than a wait.
  for (let restMs = 5; ; restMs = Math.min(restMs * 1.5, 50)) {
    const value = await ask();
    if (enough(value)) return value;
    assert.ok(Date.now() < until, `after ${withinMs} ms it was ${JSON.stringify(value)?.slice(0, 2_000)}`);
    await pause(restMs);
  }
}

/** The message of a process that is ready. Fails with its log if it ends first. */
async function started<Ready>(process: ChildProcess, log: () => string): Promise<Ready> {
  const exited = once(process, 'exit').then(() => assert.fail(`it ended at its start: ${log()}`));
  exited.catch(() => undefined);
  const [ready] = (await Promise.race([once(process, 'message'), exited])) as [Ready];
  return ready;
}

/**
 * Environment of a terminal that writes its answers down for `npm run test:outside`, if that is asked for. Another
 * program may have methods of its own, and a document that tells of them.
 */
function recorderOfAnswers(program: string): Readonly<Record<string, string>> {
  if (process.env['POID_REPORTED_ANSWERS'] === undefined || program !== daemonModule) return {};
  // As a URL: a path may have a space.
  const recorder = new URL('../support/record-answers.ts', import.meta.url).href;
  return { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${recorder}` };
}

function child(
  program: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  const env = { ...process.env, ...environment };
  const stdio = ['ignore', 'ignore', 'pipe', 'ipc'] as const;
  const started = /\.[jt]s$/.test(program)
    ? fork(program, parameters, { cwd: root, env, stdio: [...stdio] })
    : spawn(program, parameters, { cwd: root, env, stdio: [...stdio] });
  started.stderr?.setEncoding('utf8');
  return started;
}
