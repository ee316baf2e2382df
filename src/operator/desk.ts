import { majorText } from '../domain/amount.ts';
import type { CurrencyCode } from '../domain/currency.ts';
import { type AcquirerId, acquirerId, ownPosIds } from '../domain/identifiers.ts';
import type { Pairing } from '../pairing/pairing.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Desk, DeskAnswer, DeskNotice, DeskView } from '../ports/desk.ts';
import type { SetAside } from '../events/answer.ts';
import type { TerminalEvent, TerminalEvents } from '../ports/terminal-events.ts';
import { deskRequest, type DeskRequest } from './desk-request.ts';
import type { OperatorPassword } from './password.ts';
import { Session } from './session.ts';
import { voidables } from './voidable.ts';
import { countWaiting, type WaitingCountParts } from './waiting-count.ts';
import { setAside, type Waiting, waitingOnes } from './waiting.ts';
import { decideBatch, type BatchOutcome, type WaitingBatch, waitingBatches } from './waiting-batch.ts';

/** What the operator does goes by the interface of every POS, under this name. */
const posId = ownPosIds.operator;

/** A call of that interface: a body of JSON in, the same answer as over HTTP out. */
export type Call = (
  body: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly body: unknown }>;

export interface DeskParts extends WaitingCountParts {
  readonly password: OperatorPassword;
  /** `requestAmount` in major units. */
  readonly pay: Call;
  readonly settle: Call;
  /** This one waits no more: what waited behind it can go. */
  readonly onSetAside: (one: Waiting, outcome: SetAside['outcome']) => void;
  /** This batch waits for its host no more. */
  readonly onBatchDecided: (one: WaitingBatch, outcome: BatchOutcome) => void;
  /** The result and the paper of what the bank has settled; nothing that is open is closed for it. */
  readonly settleWaiting: (one: {
    readonly posId: string;
    readonly messageId: string;
    readonly acquirerId: AcquirerId;
  }) => Promise<unknown>;
  readonly isIdle: () => boolean;
  readonly notices: () => readonly DeskNotice[];
  /** Does it while nothing runs on the terminal, and nothing begins before it is over; nothing where something runs. */
  readonly undisturbed: <T>(work: () => Promise<T>) => Promise<T | undefined>;
  readonly clock: Clock;
  readonly random: Random;
  readonly currency: CurrencyCode;
  readonly version: string;
  readonly fingerprint?: string;
  /** Where points of sale are paired. */
  readonly pairing?: Pick<Pairing, 'view' | 'open' | 'close' | 'decide'>;
  readonly onFailure: (error: unknown) => void;
}

const done: DeskAnswer = { status: 200, body: {} };

/** The operator's menu of an idle screen: everything in it asks for the password first. */
export class OperatorDesk implements Desk, TerminalEvents {
  readonly #parts: DeskParts;
  readonly #session: Session;
  readonly #listeners: (() => void)[] = [];
  #operator = false;
  #waiting: DeskView['waiting'] = { reversals: 0, advices: 0, rejected: 0, unsendable: 0, batches: 0 };

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#session = new Session(parts.clock, parts.random, () => parts.pairing?.close());
  }

  get view(): DeskView {
    const { version, fingerprint, pairing, currency } = this.#parts;
    return {
      version,
      ...(fingerprint === undefined ? {} : { fingerprint }),
      waiting: this.#waiting,
      notices: this.#parts.notices(),
      operator: this.#operator,
      price: { amount: majorText({ minor: 0n, currency }), currency },
      pairs: pairing !== undefined,
      ...(pairing?.view ? { pairing: pairing.view } : {}),
    };
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The view is told anew. */
  notifyListeners(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Looks what waits, and whether there is a password by now. Never rejects. */
  async refresh(): Promise<void> {
    const { password, onFailure } = this.#parts;
    try {
      this.#waiting = await countWaiting(this.#parts);
      this.#operator = await password.isSet();
    } catch (error) {
      onFailure(error);
    }
    this.notifyListeners();
  }

  /** A payment ends what the operator does: the next to touch the screen is a customer. */
  tell({ state }: Omit<TerminalEvent, 'at'>): void {
    if (state === 'idle') void this.refresh();
    else if (state !== 'settling') this.close();
  }

  close(): void {
    this.#session.end();
    this.#parts.pairing?.close();
  }

  async handle(body: unknown): Promise<DeskAnswer> {
    const parsed = deskRequest.safeParse(body);
    if (!parsed.success) return no(400, 'malformed');
    try {
      return await this.#answer(parsed.data);
    } catch (error) {
      this.#parts.onFailure(error);
      return no(500, 'failed');
    }
  }

  async #answer(asked: DeskRequest): Promise<DeskAnswer> {
    if (asked.kind === 'look') {
      await this.refresh();
      return done;
    }
    if (asked.kind === 'login') return this.#login(asked.password);
    if (!this.#session.holds(asked.session)) return no(401, 'locked');
    const { pairing, journal, acquirers, settle, isIdle } = this.#parts;
    switch (asked.kind) {
      case 'logout':
        this.#session.end();
        return done;
      case 'settle':
        return settle({ posId, messageId: this.#messageId() }) as Promise<DeskAnswer>;
      case 'list':
        return { status: 200, body: { transactions: await voidables(journal, acquirers.map(acquirerId)) } };
      case 'void':
        return this.#pay('VOID', asked, { originalTerminalTransactionId: asked.transaction });
      case 'refund':
        return this.#pay('REFUND', asked, {});
      case 'waiting':
        return { status: 200, body: await this.#waits() };
      case 'setAside':
        return this.#setAside(asked.transaction, asked.outcome);
      case 'decideBatch':
        return this.#decideBatch(asked, asked.outcome);
      case 'pair':
        if (!isIdle()) return no(409, 'busy');
        pairing?.open();
        return pairing ? done : no(409, 'notPaired');
      case 'decide':
        return pairing?.decide(asked.yes, asked.code) ? done : no(409, 'over');
      default:
        return asked satisfies never;
    }
  }

  /** No session, but why there is none: a wrong password is no fault of the page. */
  async #login(password: string): Promise<DeskAnswer> {
    const tried = await this.#parts.password.try(password);
    switch (tried.kind) {
      case 'right':
        if (!this.#parts.isIdle()) return no(200, 'busy');
        return { status: 200, body: { session: this.#session.begin() } };
      case 'wrong':
      case 'wait':
        return { status: 200, body: { reason: tried.kind, waitMs: tried.waitMs } };
      case 'none':
        return no(200, 'noPassword');
      default:
        return tried satisfies never;
    }
  }

  async #setAside(id: string, outcome: SetAside['outcome']): Promise<DeskAnswer> {
    // A settlement adds up what stands, and a refund counts on it: nothing may change under them.
    const one = await this.#parts.undisturbed(() => setAside(id, outcome, this.#parts));
    if (!one) return no(409, 'busy');
    if ('refused' in one) return no(409, one.refused);
    this.#parts.onSetAside(one, outcome);
    await this.refresh();
    return done;
  }

  async #waits() {
    return { transactions: await waitingOnes(this.#parts), batches: await waitingBatches(this.#parts) };
  }

  async #decideBatch(
    asked: { readonly acquirer: string; readonly batch: number; readonly currency: string },
    outcome: BatchOutcome,
  ): Promise<DeskAnswer> {
    // A settlement may be asking its host for this very batch.
    const one = await this.#parts.undisturbed(() => decideBatch(asked, outcome, this.#parts));
    if (!one) return no(409, 'busy');
    if ('refused' in one) return no(409, one.refused);
    this.#parts.onBatchDecided(one, outcome);
    if (one.complete) await this.#settleWaiting(one);
    await this.refresh();
    return done;
  }

  /** It is written already: where a payment is first, or the journal fails, the terminal comes back to it by itself. */
  async #settleWaiting({ acquirer }: WaitingBatch): Promise<void> {
    const { settleWaiting, onFailure } = this.#parts;
    const request = { posId, messageId: this.#messageId(), acquirerId: acquirerId(acquirer) };
    await settleWaiting(request).catch(onFailure);
  }

  /** Its outcome is shown as any other's; the answer is the one that a POS would get. */
  async #pay(
    transactionType: 'VOID' | 'REFUND',
    { amount, currency }: { readonly amount: string; readonly currency: string },
    more: Readonly<Record<string, string>>,
  ): Promise<DeskAnswer> {
    const messageId = this.#messageId();
    const answer = await this.#parts.pay({
      posId,
      messageId,
      transactionType,
      requestAmount: amount,
      currency,
      ...more,
    });
    return answer as DeskAnswer;
  }

  #messageId(): string {
    return Buffer.from(this.#parts.random.bytes(16)).toString('hex');
  }
}

function no(status: number, reason: string): DeskAnswer {
  return { status, body: { reason } };
}
