import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type CommandOptions, type Ended, until } from './container.ts';

const readme = new URL('../../../README.md', import.meta.url);

export interface PosAnswer {
  readonly responseResult?: string;
  readonly message?: string;
  readonly financialImpact?: string;
  readonly terminalTransactionId?: string;
}

interface Settings {
  readonly acquirers: readonly { readonly protocol: string }[];
}

/** Where a terminal runs: a container, or an emulated machine. */
interface Machine {
  run(command: string, options?: CommandOptions): Promise<Ended>;
  outputOf(command: string, options?: CommandOptions): Promise<string>;
  call(port: number, at: string, body?: string): Promise<Ended>;
  start(): Promise<void>;
  unit(property: string): Promise<string>;
}

/** A till and a customer at a terminal on a machine, on its loopback. */
export class Shop {
  readonly #machine: Machine;
  readonly #readyMs: number;
  readonly #lookMs: number | undefined;
  readonly #connectMs: number | undefined;

  /**
   * `lookMs`: how often it looks whether something has come. `connectMs`: how long a handshake with a card host may
   * take, on an emulated machine.
   */
  constructor(
    machine: Machine,
    {
      readyMs = 60_000,
      lookMs,
      connectMs,
    }: { readonly readyMs?: number; readonly lookMs?: number; readonly connectMs?: number } = {},
  ) {
    this.#machine = machine;
    this.#readyMs = readyMs;
    this.#lookMs = lookMs;
    this.#connectMs = connectMs;
  }

  /** Gives the terminal the simulator's configuration and `more`, as a person on the line does. */
  async provision(more: object = {}): Promise<void> {
    const file = '/var/lib/poid-sim/poid.json';
    await this.#until('the simulator has written it', async () =>
      (await this.#machine.run(`test -e ${file}`)).code === 0 ? true : undefined,
    );
    const settings = JSON.parse(await this.#machine.outputOf(`cat ${file}`)) as Settings;
    const connectTimeoutMs = this.#connectMs;
    const acquirers = settings.acquirers.map((each) =>
      connectTimeoutMs === undefined || each.protocol !== 'iso8583' ? each : { ...each, connectTimeoutMs },
    );
    const input = JSON.stringify({
      ...settings,
      acquirers,
      serialNumber: 'TEST-1',
      timeZone: 'Asia/Hong_Kong',
      ...more,
    });
    await this.#machine.outputOf('poid provision -', { input });
    await this.#machine.start();
  }

  /** The sale of the README, word for word. The card is tapped once the terminal asks for it. */
  async sellAsReadme(): Promise<PosAnswer> {
    const [sale = ''] = /^sale\(\) \{ curl .*\\\n.*\}$/m.exec(readFileSync(readme, 'utf8')) ?? [];
    assert.notEqual(sale, '', 'the README has no sale');
    return this.#sell(async () => parse((await this.#machine.run(`${sale}\nsale ''`)).said));
  }

  sell(messageId: string): Promise<PosAnswer> {
    return this.#sell(() => this.#post('payment', saleOf(messageId)));
  }

  /** A sale whose customer does not come yet. */
  async begin(messageId: string, more: object = {}): Promise<{ readonly answer: Promise<PosAnswer> }> {
    const answer = this.#post('payment', { ...saleOf(messageId), ...more });
    answer.catch(() => undefined);
    await this.collecting();
    return { answer };
  }

  async tap(): Promise<void> {
    assert.equal((await this.#machine.call(8090, '/api/reader/tap', '{"card":"visa"}')).code, 200);
  }

  enquire(messageId: string): Promise<PosAnswer> {
    return this.#post('enquiry', { posId: 'POS-1', messageId });
  }

  settle(messageId: string): Promise<PosAnswer> {
    return this.#post('settlement', { posId: 'POS-1', messageId });
  }

  /** Resolves once the terminal is up, and takes cards. */
  ready(): Promise<unknown> {
    return this.#until('the terminal takes cards', async () => {
      const { ready } = await this.#status();
      return ready && (await this.#machine.unit('ActiveState')) === 'active' ? true : undefined;
    });
  }

  collecting(): Promise<unknown> {
    return this.#until('a card is waited for', async () => {
      const { state, step } = await this.#status();
      return state === 'collecting' && step !== undefined ? true : undefined;
    });
  }

  #until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    return until(what, this.#readyMs, look, this.#lookMs);
  }

  /** Empty while nobody answers. */
  async #status(): Promise<{ readonly state?: string; readonly step?: string; readonly ready?: boolean }> {
    return parse((await this.#machine.call(8080, '/sp/v1/status')).said);
  }

  async #post(what: string, body: object): Promise<PosAnswer> {
    return parse((await this.#machine.call(8080, `/sp/v1/${what}`, JSON.stringify(body))).said);
  }

  async #sell(sale: () => Promise<PosAnswer>): Promise<PosAnswer> {
    await this.ready();
    const answer = sale();
    const early = answer.then((answer) =>
      assert.fail(`answered before a card was waited for: ${JSON.stringify(answer)}`),
    );
    await Promise.race([this.collecting(), early]);
    await this.tap();
    return answer;
  }
}

function saleOf(messageId: string): object {
  return { posId: 'POS-1', messageId, transactionType: 'SALE', requestAmount: 30, currency: 'HKD' };
}

/** Empty where the connection ended without an answer. */
function parse(text: string): object {
  return text === '' ? {} : (JSON.parse(text) as object);
}
