import type { CurrencyCode } from '../../src/base/domain/currency.ts';
import { acquirerId, type TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { Pocket } from './counter.ts';
import type { CardAcquirerName } from './card-acquirers.ts';
import { type Daemon, octopusId } from './daemon.ts';
import type { Settled } from './oracle.ts';
import type { Heard } from './pos-api.ts';
import { namedMerchants } from './merchants.ts';
import { bodyText, type Wanted } from './pos-call.ts';
import { type PosAnswer, posAnswerOf, totalOf } from './pos-answer.ts';
import type { World } from './world.ts';

/** SPEC §3. */
const alreadyExists = 106;

interface Asked {
  readonly request: Wanted;
  readonly pocket: Pocket;
  /** Its calls that wait for an answer of the current process. */
  waits: number;
  /** The last one. */
  answer?: PosAnswer;
}

interface SettlementCall {
  readonly posId: string;
  readonly messageId: string;
  readonly acquirer?: string;
  readonly merchantId?: string;
}

/** Unusual amounts: the smallest, and those that fill a field or a sum. */
const oddAmounts = [1n, 10n ** 10n, 10n ** 11n, 10n ** 12n - 1n];

const advices: readonly string[] = ['OFFLINE_SALE', 'AUTH_COMP'];

/** One payment by each method. */
type Probe = Partial<Wanted> & { readonly pocket?: Pocket };
const cardProbes = {
  EDC: { preferredEntryMode: 'CARD', pocket: 'visa' },
  CUP: { preferredEntryMode: 'CARD', pocket: 'unionpay' },
  EPS: { preferredInstrument: 'EPS' },
} as const satisfies Record<CardAcquirerName, Probe>;
const probes: readonly Probe[] = [
  cardProbes.EDC,
  cardProbes.CUP,
  cardProbes.EPS,
  { preferredEntryMode: 'QR_SCAN' },
  { preferredEntryMode: 'QR_PRESENT' },
  { preferredEntryMode: 'QR_PRESENT', preferredInstrument: 'FPS' },
  { preferredInstrument: 'OCTOPUS' },
  { preferredEntryMode: 'CASH' },
];

/** What may refer to a transaction (SPEC §1, capability tables), the likelier ones more than once. */
function laterKinds({ type, method }: PosAnswer): readonly Wanted['type'][] {
  const isQr = ['ALIPAY', 'WECHAT', 'UPI_QR'].includes(method);
  if (type === 'REFUND') return isQr || isCard(method) ? ['VOID'] : [];
  if (isQr) return type === 'SALE' ? ['VOID', 'REFUND'] : [];
  if (!isCard(method)) return [];
  if (type === 'SALE') return ['VOID', 'REFUND', 'TIP_ADJUST'];
  if (type === 'OFFLINE_SALE') return ['VOID', 'REFUND', 'TIP_ADJUST'];
  if (type === 'AUTH') {
    const completion = method === 'UNIONPAY' ? 'AUTH_COMP' : 'OFFLINE_SALE';
    return [completion, completion, 'VOID'];
  }
  return type === 'AUTH_COMP' ? ['VOID', 'REFUND'] : [];
}

function isCard(method: string): boolean {
  return ['VISA', 'MASTER', 'AMEX', 'JCB', 'UNIONPAY'].includes(method);
}

/** The POS clients of a shop: they pay, repeat, hang up, cancel, enquire and settle, in random order. */
export class Shop {
  readonly #world: World;
  #payments: Asked[] = [];
  #settlements: SettlementCall[] = [];
  #left: number;
  #numbers = 0;
  /** Without faults: the lines on which a payment has detected that the host has another key. */
  readonly #agreed = new Set<number>();
  closed = false;

  constructor(world: World, calls: number) {
    this.#world = world;
    this.#left = calls;
    world.onGone = () => {
      for (const asked of this.#payments) asked.waits = 0;
    };
    // A new journal knows no earlier identity.
    world.onLost = () => {
      const concluded = this.#payments.flatMap(({ answer }) => (answer?.result === 'SUCCESS' ? [answer] : []));
      // A transaction with a pending call may still change.
      const named = new Set(this.#payments.map(({ request }) => request.originalId));
      const kinds: readonly string[] = ['SALE', 'AUTH', 'REFUND'];
      this.#payments = [];
      this.#settlements = [];
      return concluded.filter(({ id, type }) => !named.has(id) && kinds.includes(type));
    };
  }

  get isDone(): boolean {
    return this.#left <= 0;
  }

  /** The requests and their final answers. */
  get settled(): readonly Settled[] {
    return this.#payments.flatMap(({ request, answer }) => (answer ? [{ request, answer }] : []));
  }

  /** Starts the clients: they call at random times. */
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

  /** Enquires every request again at the end. */
  async enquiresAll(): Promise<void> {
    for (const asked of this.#payments) await this.#enquires(asked);
  }

  /** Settles at the end of the day. Returns the answer, or undefined without one. */
  async settlesLast(): Promise<Heard | undefined> {
    return this.#settles({ posId: 'POS-1', messageId: `S-last-${(this.#numbers += 1)}` });
  }

  /** Without faults every payment method must work. Returns the refused ones, in words. */
  async probes(some: number): Promise<string[]> {
    const faults: string[] = [];
    const { dice } = this.#world;
    const left = [...probes];
    for (let each = 0; each < some; each++) {
      const [probe] = left.splice(dice.below(left.length), 1);
      if (probe) faults.push(...(await this.#probes(probe)));
    }
    return faults;
  }

  /** One more sale at this card host, without faults. Returns that it was refused, in words. */
  sellsAt(host: CardAcquirerName): Promise<string[]> {
    return this.#probes(cardProbes[host]);
  }

  /** One sale at this card host, which may refuse it. Returns whether it was paid. */
  async triesAt(host: CardAcquirerName): Promise<boolean> {
    const heard = this.#world.daemon && (await this.#triesOne(cardProbes[host]));
    return heard?.body['responseResult'] === 'SUCCESS';
  }

  async #triesOne({ pocket = 'visa', ...way }: Probe): Promise<Heard | undefined> {
    const messageId = `P-${(this.#numbers += 1)}`;
    const amount = { minor: 700n, currency: 'HKD' } as const;
    // Otherwise UnionPay goes to the first merchant's acquirer.
    const merchant = this.#world.merchants && pocket === 'unionpay' ? { merchantId: 'books' } : {};
    const request: Wanted = { posId: 'POS-2', messageId, type: 'SALE', amount, ...way, ...merchant };
    const asked: Asked = { request, pocket, waits: 0 };
    this.#payments.push(asked);
    return this.#pays(asked);
  }

  #keyRefusals(): number[] {
    return this.#world.lines.map(({ security }) => security?.working?.refusals ?? 0);
  }

  /** Whether a payment has detected that a host has another key. Without faults this occurs at most once per line. */
  #findsOtherKeys(before: readonly number[]): boolean {
    const now = this.#keyRefusals();
    const at = now.findIndex((count, each) => count > (before[each] ?? 0) && !this.#agreed.has(each));
    this.#agreed.add(at);
    return at >= 0;
  }

  async #probes(probe: Probe): Promise<string[]> {
    if (!this.#world.daemon) return [];
    const { pocket = 'visa', ...way } = probe;
    const refusals = this.#keyRefusals();
    const heard = await this.#triesOne(probe);
    if (heard?.body['responseResult'] === 'SUCCESS' || this.#findsOtherKeys(refusals)) return [];
    const name = way.preferredInstrument ?? `${way.preferredEntryMode} ${pocket}`;
    const { responseResult, message } = heard?.body ?? {};
    const { hosts, disk, hasWaitingBatches, terms } = this.#world;
    // An authorization that nobody has ended, or a batch that its host never settles, holds it for good.
    if (
      heard?.body['reason'] === 'acquirerHeld' &&
      (await terms.isUnsettled(/(\w+) takes no payments/.exec(String(message))?.[1] ?? ''))
    )
      return [];
    if (String(message).includes('does not fit into the open batch')) {
      // A batch that its host never settles grows until its sums are full.
      if (hosts.some(({ manners: { never } }) => never.settlement ?? never.upload)) return [];
      // So does a batch behind one that the operator has not decided on.
      if (hasWaitingBatches) return [];
      // So is one with a rejected advice, until the bank has said that it is not posted.
      if (hosts.some(({ id }) => disk.store.rejectedAdvices(acquirerId(id)).length > 0)) return [];
      // So is one that came back with an older copy of the journal: its payments count no more here, and wait for their
      // settlement there.
      const isFromCopy = hosts.some(({ books }) =>
        books
          .open()
          .some(({ owner }) => owner && !disk.transactions.includes(owner) && disk.store.read(owner).length > 0),
      );
      if (isFromCopy) return [];
    }
    return [`I11: in peace ${name} is not taken: ${String(responseResult)} ${String(message)}`];
  }

  #calls(): void {
    const { dice } = this.#world;
    const daemon = this.#world.daemon;
    // No process is listening: the connection is refused, and the client calls again later.
    if (!daemon?.listening) return;
    this.#left -= 1;
    const asked = this.#payments.length > 0 ? dice.of(this.#payments) : undefined;
    const waiting = this.#payments.find(({ waits }) => waits > 0);
    dice.one<() => unknown>([
      [waiting ? 2 : 28, () => this.#pays(this.#newPayment())],
      [waiting ? 12 : 0, () => undefined],
      [asked ? 4 : 0, () => this.#pays(asked)],
      [waiting ? 4 : 0, () => this.#pays(waiting)],
      [asked ? 2 : 0, () => asked && this.#paysOther(asked)],
      [asked ? 2 : 0, () => asked && void this.#enquires(asked)],
      [waiting ? 2 : 0, () => waiting && this.#cancels(waiting)],
      // Payments move to a site with other books only after a settlement.
      [asked ? (this.#world.hasOwnBooks ? 10 : 3) : 0, () => this.#settles(this.#newSettlement())],
      [1, () => this.#usesReservedName()],
      [1, () => this.#looks()],
      [this.#world.hastyOdds > 0 ? 12 : 1, () => this.#world.operator.acts(daemon.menu)],
    ])();
  }

  #newPayment(): Asked {
    const { dice } = this.#world;
    const approved = this.#payments.filter(({ answer }) => answer?.result === 'SUCCESS');
    // Originals that allow no reference are tried too, but less often.
    const originals = dice.odds(10)
      ? approved
      : approved.filter(({ answer }) => answer && laterKinds(answer).length > 0);
    const latest = this.#payments.findLast(({ request, answer }) => request.originalId && answer?.result === 'SUCCESS');
    const again = dice.odds(45) && originals.find(({ answer }) => answer?.id === latest?.request.originalId);
    // The host may still reject these.
    const advised = originals.filter(({ answer }) => answer && advices.includes(answer.type));
    const preferred = advised.length > 0 && dice.odds(30) ? advised : originals;
    const original = originals.length > 0 && dice.odds(50) ? again || dice.of(preferred) : undefined;
    const number = (this.#numbers += 1);
    const posId = dice.of(['POS-1', 'POS-2']);
    const common = { posId, messageId: `M-${number}`, ...this.#merchant(original !== undefined) };
    const asked = original?.answer
      ? { request: { ...common, ...this.#about(original, original.answer.id) }, pocket: original.pocket, waits: 0 }
      : { request: { ...common, ...this.#fresh() }, pocket: this.#pocket(), waits: 0 };
    this.#payments.push(asked);
    return asked;
  }

  /** Mostly UnionPay, if the acquirers of both merchants take it. */
  #pocket(): Pocket {
    const { dice, merchants } = this.#world;
    return merchants && dice.odds(60) ? 'unionpay' : dice.of(['visa', 'unionpay'] as const);
  }

  /** A request by reference has no merchantId, its original's, or a wrong one. */
  #merchant(isAbout: boolean): Pick<Wanted, 'merchantId'> {
    const { dice, merchants } = this.#world;
    const merchantId = merchants && !(isAbout && dice.odds(80)) ? dice.of(namedMerchants) : '';
    return merchantId === '' ? {} : { merchantId };
  }

  #fresh(): Pick<Wanted, 'type' | 'amount'> & Partial<Wanted> {
    const { dice, currencies, terms, prefersCards } = this.#world;
    // Often the same amount, so that an answer to another payment would fit.
    const minor = dice.one([
      [10, 1000n],
      [9, BigInt(dice.between(1, 40) * 100)],
      [1, dice.of(oddAmounts)],
    ]);
    const amount = { minor, currency: dice.odds(60) ? 'HKD' : (dice.of(currencies) as CurrencyCode) };
    const way = dice.one<Partial<Wanted>>([
      [prefersCards ? 40 : 6, { preferredEntryMode: 'CARD' }],
      [3, { preferredEntryMode: 'QR_SCAN' }],
      [3, { preferredEntryMode: 'QR_PRESENT' }],
      [4, { preferredEntryMode: 'QR_PRESENT', preferredInstrument: 'FPS' }],
      [2, { preferredInstrument: 'OCTOPUS' }],
      [prefersCards ? 8 : 2, { preferredInstrument: 'EPS' }],
      [1, { preferredEntryMode: 'CASH' }],
      [2, {}],
    ]);
    const type = dice.one<Wanted['type']>([
      [12, 'SALE'],
      [3, 'AUTH'],
      [1, 'REFUND'],
      [4, 'OFFLINE_SALE'],
    ]);
    const cashback = way.preferredInstrument === 'EPS' && dice.odds(30) ? { cashbackMinor: 100n } : {};
    const tip = type === 'SALE' && way.preferredEntryMode === 'CARD' && dice.odds(20) ? { tipMinor: 100n } : {};
    const knows = tip.tipMinor ?? cashback.cashbackMinor;
    const asks =
      knows === undefined && ['SALE', 'OFFLINE_SALE'].includes(type) && dice.odds(25) ? { askTip: true } : {};
    const isWhole = knows !== undefined || 'askTip' in asks;
    const part = terms.approvesInPart && !isWhole && dice.odds(60) ? { allowPartial: true as const } : {};
    return type === 'SALE'
      ? { type, amount, ...way, ...tip, ...cashback, ...asks, ...part }
      : { type, amount, preferredEntryMode: 'CARD', ...asks };
  }

  #about(
    { request, answer }: Asked,
    originalId: TerminalTransactionId,
  ): Pick<Wanted, 'type' | 'amount' | 'originalId'> {
    const { dice } = this.#world;
    const { currency } = request.amount;
    const minor = totalOf(request, answer);
    const possible = answer ? laterKinds(answer) : [];
    const unruly = possible.length === 0 || dice.odds(10);
    const type = dice.of(unruly ? (['VOID', 'REFUND', 'TIP_ADJUST', 'AUTH_COMP', 'OFFLINE_SALE'] as const) : possible);
    const { all, adjusted, rest } = this.#amountsAbout(originalId, minor);
    const usual = {
      TIP_ADJUST: [minor + minor / 10n],
      VOID: [adjusted],
      REFUND: [minor, adjusted, adjusted, rest, minor / 2n + 1n],
      AUTH_COMP: [minor],
      OFFLINE_SALE: [minor],
    }[type as 'VOID'];
    return { type, amount: { minor: dice.of(dice.odds(85) ? usual : all), currency }, originalId };
  }

  /**
   * Amounts to request of an original: all, a part, with its tip, the rest after refunds, and one cent more than that.
   */
  #amountsAbout(originalId: TerminalTransactionId, minor: bigint) {
    const later = this.#payments.filter(
      ({ request, answer }) => request.originalId === originalId && answer?.result === 'SUCCESS',
    );
    const adjusted = later.findLast(({ request }) => request.type === 'TIP_ADJUST')?.request.amount.minor ?? minor;
    const refunds = later.filter(({ request }) => request.type === 'REFUND');
    const rest = refunds.reduce((left, { request }) => left - request.amount.minor, adjusted);
    const all = [1n, minor / 2n + 1n, minor, adjusted, rest, rest + 1n, minor + 10n, ...oddAmounts];
    return { all: all.filter((each) => each > 0n), adjusted, rest: rest > 0n ? rest : minor };
  }

  #newSettlement(): SettlementCall {
    const { dice } = this.#world;
    if (this.#settlements.length > 0 && dice.odds(30)) return dice.of(this.#settlements);
    const messageId = `S-${(this.#numbers += 1)}`;
    const one = dice.odds(30) ? { acquirer: dice.of(['EDC', 'CUP', 'EPS', 'QR', 'OCTOPUS']) } : {};
    const { merchantId } = 'acquirer' in one ? {} : this.#merchant(dice.odds(50));
    const settlement = { posId: 'POS-1', messageId, ...one, ...(merchantId === undefined ? {} : { merchantId }) };
    this.#settlements.push(settlement);
    return settlement;
  }

  async #pays(asked: Asked | undefined): Promise<Heard | undefined> {
    const { daemon, log, dice } = this.#world;
    if (!asked || !daemon) return undefined;
    const { request } = asked;
    const { minor, currency } = request.amount;
    const way = request.preferredEntryMode ?? request.preferredInstrument ?? '';
    const of = request.originalId ? `of ${request.originalId.slice(10, 18)} ` : '';
    log.counted('POS pays', `${request.posId}: ${request.messageId} ${request.type} ${of}${minor} ${currency} ${way}`);
    daemon.counter.pocketOf = () => this.#pocketAt(daemon);
    asked.waits += 1;
    const heard = await this.#heard(daemon, 'payment', bodyText(request, dice));
    asked.waits -= 1;
    if (heard) this.#noteAnswer(asked, heard, daemon);
    return heard;
  }

  #pocketAt({ terminal: { running } }: Daemon): Pocket {
    const isRunning = ({ posId, messageId }: Wanted) => posId === running?.posId && messageId === running.messageId;
    return this.#payments.find(({ request }) => isRunning(request))?.pocket ?? 'visa';
  }

  #noteAnswer(asked: Asked, { status, body }: Heard, daemon: Daemon): void {
    const { log, rules } = this.#world;
    const { posId, messageId } = asked.request;
    const answer = posAnswerOf(body);
    if (!answer) {
      const kind = refusalOf(status, body);
      log.counted(`POS told ${kind}`, `${posId}: told of ${messageId}: ${status} ${String(body['message'])}`);
      if (body['responseCode'] === alreadyExists) rules.fault(`I4: the same request of ${messageId} is another`);
      if (status < 400) rules.fault(`I4: ${messageId} came to nothing, and the POS is told ${status}`);
      if (status === 500) rules.fault(`I11: ${messageId} is answered 500`);
      this.#settledDown(daemon);
      return;
    }
    log.counted(
      `POS told ${answer.result}`,
      `${posId}: told of ${messageId} ${answer.id.slice(10, 18)}: ${answer.result} ${answer.impact} ${answer.message}`,
    );
    if (status !== 200 || answer.messageId !== messageId)
      rules.fault(`I4: ${messageId} ended, and the POS is told otherwise`);
    asked.answer = answer;
    rules.noteEnd(answer);
    rules.reportAmounts(asked.request, answer);
    this.#settledDown(daemon);
  }

  /**
   * Checks I8, and that no device waits after the end. Only the Octopus reader may, while an incomplete deduction
   * waits for its card.
   */
  #settledDown({ terminal, counter }: Daemon): void {
    if (terminal.running) return;
    const { rules, disk, octopus } = this.#world;
    const isAwaited = octopus.hasDecidedByPhone || disk.store.pending().some((each) => each.acquirerId === octopusId);
    const armed = counter.armed.filter((device) => device !== 'Octopus reader' || !isAwaited);
    if (!counter.isForgotten) rules.fault('I8: what the customer gave can be read after the end');
    if (armed.length > 0) rules.fault(`the ${armed.join()} is armed after the end`);
  }

  async #paysOther({ request }: Asked): Promise<void> {
    const { daemon, log, rules, disk, dice } = this.#world;
    if (!daemon) return;
    const { amount, preferredEntryMode: mode } = request;
    const other: Wanted = dice.of([
      { ...request, amount: { ...amount, minor: 999_900n } },
      { ...request, amount: { ...amount, minor: amount.minor + 1n } },
      { ...request, askTip: request.askTip !== true },
      { ...request, preferredEntryMode: mode === 'CARD' ? 'QR_PRESENT' : 'CARD' } as const,
    ]);
    const known = disk.store.find(request.posId, request.messageId);
    if (!known) return;
    log.counted('POS pays another body', `${request.posId}: another body under ${request.messageId}`);
    const heard = await this.#heard(daemon, 'payment', bodyText(other, dice));
    if (!heard) return;
    const { status, body } = heard;
    log.push(`${request.posId}: told of another body: ${status} ${String(body['responseResult'])}`);
    // An invalid request, or one that can't be looked up now, is refused as such.
    const isRight = [400, 422, 503].includes(status) || (status === 409 && body['responseCode'] === alreadyExists);
    if (!isRight) rules.fault(`I4: another body under ${request.messageId} came to ${status}`);
  }

  async #enquires(asked: Asked): Promise<void> {
    const { daemon, log, rules } = this.#world;
    if (!daemon) return;
    const { posId, messageId } = asked.request;
    const heard = await this.#heard(daemon, 'enquiry', JSON.stringify({ posId, messageId }));
    if (!heard) return;
    const answer = posAnswerOf(heard.body);
    log.counted(
      'POS enquires',
      `${posId}: enquires ${messageId}: ${answer ? `${answer.result} ${answer.impact}` : String(heard.body['responseResult'])}`,
    );
    if (heard.status === 500) rules.fault(`I11: the enquiry of ${messageId} is answered 500`);
    if (!answer) return;
    asked.answer = answer;
    rules.noteEnd(answer);
    rules.reportAmounts(asked.request, answer);
  }

  async #cancels({ request: { posId, messageId } }: Asked): Promise<void> {
    const { daemon, log, rules } = this.#world;
    if (!daemon) return;
    log.counted('POS cancels', `${posId}: cancels ${messageId}`);
    const heard = await this.#heard(daemon, 'cancel', JSON.stringify({ posId, messageId }));
    if (!heard) return;
    log.push(`${posId}: told of the cancel: ${heard.status} ${String(heard.body['message'])}`);
    const answer = posAnswerOf((heard.body['transaction'] ?? {}) as Heard['body']);
    if (answer) rules.noteEnd(answer);
  }

  async #settles(call: SettlementCall): Promise<Heard | undefined> {
    const { daemon, log } = this.#world;
    if (!daemon) return undefined;
    log.counted('POS settles', `${call.posId}: settles ${call.messageId} ${call.acquirer ?? ''}`);
    // A settlement runs beside the customers.
    if (!this.closed && this.#world.dice.odds(50)) {
      this.#world.time.in(this.#world.dice.between(0, 2_000), () => {
        if (!this.closed && daemon.listening && daemon.generation.alive) void this.#pays(this.#newPayment());
      });
    }
    const heard = await this.#heard(daemon, 'settlement', JSON.stringify(call));
    const results = (heard?.body['settlements'] ?? []) as readonly Record<string, unknown>[];
    const words = results.map(({ acquirer, batch, result, message = '' }) =>
      [acquirer, batch, result, message].join(' '),
    );
    log.push(`${call.posId}: told of the settlement ${call.messageId}: ${heard?.status} ${words.join('; ')}`);
    for (const { result } of results) log.counted(`settled ${String(result)}`);
    return heard;
  }

  /** A till that uses the terminal's own name, or the operator's. */
  async #usesReservedName(): Promise<void> {
    const { daemon, log, rules, dice, clock } = this.#world;
    if (!daemon) return;
    const posId = dice.of(['poid', 'OPERATOR', 'operator', 'POID']);
    const at = clock.now();
    const today = [at.getFullYear(), at.getMonth() + 1, at.getDate()]
      .map((each) => String(each).padStart(2, '0'))
      .join('-');
    const messageId = dice.of([`daily ${today}`, `daily ${today}/1`]);
    const [path, text] = dice.of([
      ['settlement', JSON.stringify({ posId, messageId })],
      ['settlement', JSON.stringify({ posId, messageId, acquirer: 'CASH' })],
      [
        'payment',
        bodyText(
          { posId, messageId, type: 'SALE', amount: { minor: 100n, currency: 'HKD' }, preferredEntryMode: 'CASH' },
          dice,
        ),
      ],
    ] as const);
    const heard = await this.#heard(daemon, path, text);
    log.counted('reserved name', `a till: ${path} as ${posId}: ${heard?.status}`);
    if (heard && heard.status < 400) rules.fault(`I11: a till calls itself ${posId}, and is answered ${heard.status}`);
  }

  async #looks(): Promise<void> {
    const { daemon, rules } = this.#world;
    if (!daemon) return;
    const heard = await this.#heard(daemon, 'status', undefined);
    if (heard && heard.status !== 200) rules.fault(`I11: the status is answered ${heard.status}`);
  }

  /** An answer reaches its client only if its process still lives. A journal failure is an answer too. */
  #heard(daemon: Daemon, path: string, text: string | undefined): Promise<Heard | undefined> {
    return new Promise((resolve) => {
      daemon.called(path, text).then(
        (value) => daemon.generation.does('answer', () => resolve(value)),
        (error: unknown) => {
          this.#world.log.push(`POS: told of a failure: ${String(error)}`);
          daemon.generation.does('answer', () => resolve(undefined));
        },
      );
    });
  }
}

function refusalOf(status: number, body: Heard['body']): string {
  if (status === 409 && body['running']) return 'busy';
  if (status === 503) return body['responseResult'] === 'ERROR' ? 'notReady' : 'journalFailed';
  return 'refused';
}
