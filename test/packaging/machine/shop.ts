import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type CommandOptions, type Ended, until } from './container.ts';

const readme = new URL('../../../README.md', import.meta.url);

export interface PosAnswer {
  readonly responseResult?: string;
  readonly message?: string;
  readonly financialImpact?: string;
}

/** Where a terminal runs: a container, or an emulated machine. */
interface Machine {
  run(command: string, options?: CommandOptions): Promise<Ended>;
  told(command: string, options?: CommandOptions): Promise<string>;
  start(): Promise<void>;
  unit(property: string): Promise<string>;
}

/** A till and a customer at a terminal on a machine, which use curl there. */
export class Shop {
  readonly #machine: Machine;
  readonly #readyMs: number;
  readonly #lookMs: number | undefined;

  /** `lookMs`: how often it looks whether something has come. */
  constructor(
    machine: Machine,
    { readyMs = 60_000, lookMs }: { readonly readyMs?: number; readonly lookMs?: number } = {},
  ) {
    this.#machine = machine;
    this.#readyMs = readyMs;
    this.#lookMs = lookMs;
  }

  /** Gives the terminal the simulator's configuration, as a person on the line does. */
  async provision(): Promise<void> {
    const file = '/var/lib/poid-sim/poid.json';
    await this.#until('the simulator has written it', async () =>
      (await this.#machine.run(`test -e ${file}`)).code === 0 ? true : undefined,
    );
    const settings = JSON.parse(await this.#machine.told(`cat ${file}`)) as object;
    const input = JSON.stringify({ ...settings, serialNumber: 'TEST-1', timeZone: 'Asia/Hong_Kong' });
    await this.#machine.told('poid provision -', { input });
    await this.#machine.start();
  }

  /** The sale of the README, word for word. The card is tapped once the terminal asks for it. */
  async sellAsReadme(): Promise<PosAnswer> {
    const [sale = ''] = /^sale\(\) \{ curl .*\\\n.*\}$/m.exec(readFileSync(readme, 'utf8')) ?? [];
    assert.notEqual(sale, '', 'the README has no sale');
    return this.#sell(`${sale}\nsale ''`);
  }

  sell(messageId: string): Promise<PosAnswer> {
    return this.#sell(this.#sale(messageId));
  }

  /** A sale whose customer does not come yet. */
  async begin(messageId: string): Promise<{ readonly answer: Promise<PosAnswer> }> {
    const answer = this.#machine.run(this.#sale(messageId)).then(({ said }) => parse(said));
    answer.catch(() => undefined);
    await this.collecting();
    return { answer };
  }

  async tap(): Promise<void> {
    await this.#machine.told(`curl -sf http://127.0.0.1:8090/api/reader/tap -d '{"card":"visa"}'`);
  }

  async enquire(messageId: string): Promise<PosAnswer> {
    return parse(await this.#machine.told(call('enquiry', { posId: 'POS-1', messageId })));
  }

  async settle(messageId: string): Promise<PosAnswer> {
    return parse(await this.#machine.told(call('settlement', { posId: 'POS-1', messageId })));
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
    return parse((await this.#machine.run('curl -s -m 2 http://127.0.0.1:8080/sp/v1/status')).said);
  }

  #sale(messageId: string): string {
    return call('payment', { posId: 'POS-1', messageId, transactionType: 'SALE', requestAmount: 30, currency: 'HKD' });
  }

  async #sell(command: string): Promise<PosAnswer> {
    await this.ready();
    const answer = this.#machine.run(command);
    await this.collecting();
    await this.tap();
    return parse((await answer).said);
  }
}

function call(what: string, body: object): string {
  const to = `http://127.0.0.1:8080/sp/v1/${what}`;
  return `curl -s -m 100 ${to} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
}

/** Empty where the connection ended without an answer. */
function parse(text: string): object {
  return text === '' ? {} : (JSON.parse(text) as object);
}
