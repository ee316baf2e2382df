import { acquirerId, type TerminalTransactionId } from '../../src/domain/identifiers.ts';
import type { SettlementRequest } from '../../src/terminal/request.ts';
import { financialImpact } from '../../src/transaction/record.ts';
import type { Pocket } from './counter.ts';
import type { Daemon } from './daemon.ts';
import { type Heard, paid, type Wanted } from './pos-call.ts';
import type { World } from './world.ts';

/** SPEC §3. */
const alreadyExists = 106;

interface Asked {
  readonly request: Wanted;
  readonly pocket: Pocket;
  /** Calls of it that wait for an answer of the process that lives. */
  waits: number;
  /** As told. */
  id?: TerminalTransactionId;
  isSuccess?: boolean;
}

/** The POS clients of a shop: they pay, repeat, hang up, cancel, enquire and settle, in no order. */
export class Shop {
  readonly #world: World;
  readonly #payments: Asked[] = [];
  readonly #settlements: SettlementRequest[] = [];
  #left: number;
  #numbers = 0;
  closed = false;

  constructor(world: World, calls: number) {
    this.#world = world;
    this.#left = calls;
    world.onGone = () => {
      for (const asked of this.#payments) asked.waits = 0;
    };
  }

  get isDone(): boolean {
    return this.#left <= 0;
  }

  /** From here clients call whenever they like. */
  opens(): void {
    const { time, dice } = this.#world;
    time.in(
      dice.one([
        [5, dice.between(0, 300)],
        [5, dice.between(300, 8_000)],
        [2, dice.between(8_000, 60_000)],
      ]),
      () => {
        if (this.closed || this.isDone) return;
        this.#calls();
        this.opens();
      },
    );
  }

  /** After everything: whatever was ever asked is enquired once more. */
  async enquiresAll(): Promise<void> {
    for (const { request } of this.#payments) await this.#enquires(request);
  }

  /** The batch at the end of the day. */
  settlesLast(): void {
    this.#settles({ posId: 'POS-1', messageId: 'S-last', digest: 'last' });
  }

  #calls(): void {
    const { dice } = this.#world;
    const daemon = this.#world.daemon;
    // Nobody listens: the client is refused the connection, and calls again some time.
    if (!daemon?.listening) return;
    this.#left -= 1;
    const asked = this.#payments.length > 0 ? dice.of(this.#payments) : undefined;
    const waiting = this.#payments.find(({ waits }) => waits > 0);
    dice.one<() => void>([
      [waiting ? 1 : 14, () => this.#pays(this.#newPayment())],
      [waiting ? 6 : 0, () => undefined],
      [asked ? 2 : 0, () => this.#pays(asked)],
      [waiting ? 2 : 0, () => this.#pays(waiting)],
      [asked ? 1 : 0, () => asked && this.#paysOther(asked)],
      [asked ? 2 : 0, () => asked && void this.#enquires(asked.request)],
      [waiting ? 1 : 0, () => waiting && this.#cancels(waiting)],
      [asked ? 2 : 0, () => this.#settles(this.#newSettlement())],
    ])();
  }

  #newPayment(): Asked {
    const { dice } = this.#world;
    const originals = this.#payments.filter(({ isSuccess }) => isSuccess);
    const original = originals.length > 0 && dice.odds(50) ? dice.of(originals) : undefined;
    const number = (this.#numbers += 1);
    const posId = dice.of(['POS-1', 'POS-2']);
    const common = { posId, messageId: `M-${number}` };
    const asked = original?.id
      ? { request: { ...common, ...this.#about(original, original.id) }, pocket: original.pocket, waits: 0 }
      : { request: { ...common, ...this.#fresh() }, pocket: dice.of(['visa', 'unionpay'] as const), waits: 0 };
    this.#payments.push(asked);
    return asked;
  }

  #fresh(): Pick<Wanted, 'type' | 'amount'> & Partial<Wanted> {
    const { dice } = this.#world;
    // Often the same: an answer to another payment would fit then.
    const minor = dice.odds(50) ? 1000n : BigInt(dice.between(1, 40) * 100);
    const amount = { minor, currency: 'HKD' } as const;
    const way = dice.one<Partial<Wanted>>([
      [6, { preferredEntryMode: 'CARD' }],
      [2, { preferredEntryMode: 'QR_SCAN' }],
      [2, { preferredEntryMode: 'QR_PRESENT' }],
      [2, { preferredInstrument: 'OCTOPUS' }],
      [2, { preferredInstrument: 'EPS' }],
      [1, { preferredEntryMode: 'CASH' }],
      [2, {}],
    ]);
    const type = dice.one<Wanted['type']>([
      [12, 'SALE'],
      [3, 'AUTH'],
      [1, 'REFUND'],
      [2, 'OFFLINE_SALE'],
    ]);
    const cashback = way.preferredInstrument === 'EPS' && dice.odds(30) ? { cashbackMinor: 100n } : {};
    const tip = type === 'SALE' && way.preferredEntryMode === 'CARD' && dice.odds(20) ? { tipMinor: 100n } : {};
    return type === 'SALE'
      ? { type, amount, ...way, ...tip, ...cashback }
      : { type, amount, preferredEntryMode: 'CARD' };
  }

  #about({ request }: Asked, originalId: TerminalTransactionId): Pick<Wanted, 'type' | 'amount' | 'originalId'> {
    const { dice } = this.#world;
    const { minor, currency } = request.amount;
    const type = dice.one<Wanted['type']>(
      request.type === 'AUTH'
        ? [
            [3, 'AUTH_COMP'],
            [2, 'VOID'],
          ]
        : [
            [4, 'VOID'],
            [3, 'REFUND'],
            [2, 'TIP_ADJUST'],
          ],
    );
    const some = type === 'TIP_ADJUST' ? minor + 10n : type === 'REFUND' && dice.odds(50) ? minor / 2n + 1n : minor;
    return { type, amount: { minor: some, currency }, originalId };
  }

  #newSettlement(): SettlementRequest {
    const { dice } = this.#world;
    if (this.#settlements.length > 0 && dice.odds(30)) return dice.of(this.#settlements);
    const number = this.#settlements.length + 1;
    const one = dice.odds(30) ? { acquirerId: acquirerId(dice.of(['EDC', 'CUP', 'EPS', 'QR', 'OCTOPUS'])) } : {};
    const settlement = { posId: 'POS-1', messageId: `S-${number}`, digest: `digest of S-${number}`, ...one };
    this.#settlements.push(settlement);
    return settlement;
  }

  #pays(asked: Asked | undefined): void {
    const { daemon, log, dice } = this.#world;
    if (!asked || !daemon) return;
    const { request } = asked;
    log.counted(
      'POS pays',
      `${request.messageId} ${request.type} ${request.amount.minor} ${request.preferredEntryMode ?? request.preferredInstrument ?? ''}`,
    );
    if (!daemon.terminal.running) daemon.counter.pocket = asked.pocket;
    asked.waits += 1;
    void this.#answered(daemon, paid(daemon.terminal, request, dice)).then((heard) => {
      asked.waits -= 1;
      this.#told(asked, heard, daemon);
    });
  }

  #told(asked: Asked, { status, body, answer }: Heard, daemon: Daemon): void {
    const { log, rules } = this.#world;
    const { messageId } = asked.request;
    if (answer?.kind !== 'ended') {
      const { kind = 'refused' } = answer ?? {};
      log.counted(`POS told ${kind}`, `${messageId} ${status} ${String(body['message'])}`);
      if (kind === 'otherRequest') rules.fault(`I4: the same request of ${messageId} is another`);
      if (status < 400) rules.fault(`I4: ${messageId} came to ${kind}, and the POS is told ${status}`);
      this.#settledDown(daemon);
      return;
    }
    const { record } = answer;
    const result = record.conclusion?.result ?? 'none';
    log.counted(`POS told ${result}`, `${messageId} ${financialImpact(record)}`);
    const same =
      body['responseResult'] === (record.conclusion?.result ?? 'UNKNOWN') &&
      body['terminalTransactionId'] === record.id;
    if (status !== 200 || !same) rules.fault(`I4: ${messageId} ended ${result}, and the POS is told otherwise`);
    asked.id = record.id;
    asked.isSuccess = result === 'SUCCESS';
    rules.told(record);
    this.#settledDown(daemon);
  }

  /** I8, and no device waits, where nothing runs any more. */
  #settledDown({ terminal, counter }: Daemon): void {
    if (terminal.running) return;
    const { rules } = this.#world;
    if (!counter.isForgotten) rules.fault('I8: what the customer gave can be read after the end');
    if (counter.armed.length > 0) rules.fault(`the ${counter.armed.join()} is armed after the end`);
  }

  #paysOther({ request }: Asked): void {
    const { daemon, log, rules, disk, dice } = this.#world;
    if (!daemon) return;
    log.counted('POS pays another body', request.messageId);
    const { amount, preferredEntryMode: mode } = request;
    const other: Wanted = dice.of([
      { ...request, amount: { ...amount, minor: 999_900n } },
      { ...request, amount: { ...amount, minor: amount.minor + 1n } },
      { ...request, preferredEntryMode: mode === 'CARD' ? 'QR_PRESENT' : 'CARD' } as const,
    ]);
    const known = disk.store.find(request.posId, request.messageId);
    if (!known) return;
    void this.#answered(daemon, paid(daemon.terminal, other, dice)).then(({ status, body, answer }) => {
      log.push(`POS told of another body: ${answer?.kind} ${status}`);
      const isRight = answer?.kind === 'journalFailed' || (status === 409 && body['responseCode'] === alreadyExists);
      if (!isRight) rules.fault(`I4: another body under ${request.messageId} came to ${status} ${answer?.kind}`);
    });
  }

  async #enquires({ posId, messageId }: Wanted): Promise<void> {
    const { daemon, log, rules } = this.#world;
    if (!daemon) return;
    const answer = await this.#answered(daemon, daemon.terminal.enquire(posId, messageId));
    log.counted('POS enquires', `${messageId} ${answer.kind}`);
    if (answer.kind === 'ended' && answer.record.conclusion) rules.told(answer.record);
  }

  #cancels({ request }: Asked): void {
    const { daemon, log, rules } = this.#world;
    if (!daemon) return;
    log.counted('POS cancels', request.messageId);
    void this.#answered(daemon, daemon.terminal.cancel(request.posId, request.messageId)).then((answer) => {
      log.push(`POS told of the cancel: ${answer.kind}`);
      if (answer.kind === 'cancelled' || answer.kind === 'ended') {
        if (answer.record.conclusion) rules.told(answer.record);
      }
    });
  }

  #settles(request: SettlementRequest): void {
    const { daemon, log } = this.#world;
    if (!daemon) return;
    log.counted('POS settles', request.messageId);
    void this.#answered(daemon, daemon.terminal.settle(request)).then((answer) => {
      const results = answer.kind === 'ended' ? (answer.settlement.results ?? []) : [];
      log.push(
        `POS told of the settlement: ${answer.kind} ${results.map((each) => `${each.acquirerId} ${each.result} ${each.reason ?? ''}`).join()}`,
      );
      for (const { result } of results) log.counted(`settled ${result}`);
    });
  }

  /** An answer reaches its client only while the process lives that gives it; a journal that fails is one. */
  #answered<Answer>(daemon: Daemon, answer: Promise<Answer>): Promise<Answer> {
    return new Promise((resolve) => {
      answer.then(
        (value) => daemon.generation.does('answer', () => resolve(value)),
        (error: unknown) => this.#world.log.push(`POS told of a failure: ${String(error)}`),
      );
    });
  }
}
