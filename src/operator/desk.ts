import { majorText } from '../domain/amount.ts';
import { acquirerId, ownPosIds } from '../domain/identifiers.ts';
import type { Desk, DeskAnswer, DeskView } from '../ports/desk.ts';
import type { SetAside } from '../events/answer.ts';
import type { TerminalEvent, TerminalEvents } from '../ports/terminal-events.ts';
import { done, refuse } from './desk-answer.ts';
import type { DeskParts } from './desk-parts.ts';
import { deskRequest, type DeskRequest } from './desk-request.ts';
import { countHeldUp, listReceipts, printReceipt } from './receipts.ts';
import { Session } from './session.ts';
import { voidables } from './voidable.ts';
import { countWaiting, listFailedBanks } from './waiting-count.ts';
import { setAside, waitingOnes } from './waiting.ts';
import { decideBatch, type BatchOutcome, type WaitingBatch, waitingBatches } from './waiting-batch.ts';

/** The operator's payments use the POS interface, under this name. */
const posId = ownPosIds.operator;

/** The operator's menu on the idle screen. Every function asks for the password first. */
export class OperatorDesk implements Desk, TerminalEvents {
  readonly #parts: DeskParts;
  readonly #session: Session;
  readonly #listeners: (() => void)[] = [];
  /** What has happened since the journal was read. */
  #since: 'nothing' | 'payment' | 'settlement' = 'nothing';
  #operator = false;
  #stopped = false;
  #receipts: number | undefined;
  #unsettled: readonly string[] = [];
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
      ...(this.#unsettled.length === 0 ? {} : { unsettled: this.#unsettled }),
      ...(this.#receipts === undefined ? {} : { receipts: this.#receipts }),
      operator: this.#operator,
      price: { amount: majorText({ minor: 0n, currency }), currency },
      pairs: pairing !== undefined,
      ...(pairing?.view ? { pairing: pairing.view } : {}),
    };
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Announces a changed view. */
  notifyListeners(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Reads what waits, and whether a password is set. Never rejects. */
  async refresh(): Promise<void> {
    const { password, onFailure } = this.#parts;
    this.#since = 'nothing';
    try {
      this.#waiting = await countWaiting(this.#parts);
      this.#unsettled = await listFailedBanks(this.#parts);
      this.#receipts = await countHeldUp(this.#parts);
      this.#operator = await password.isSet();
    } catch (error) {
      if (!this.#stopped) onFailure(error);
    }
    this.notifyListeners();
  }

  look(): void {
    if (this.#since !== 'nothing') void this.refresh();
  }

  /**
   * A payment ends the operator's session: the next person at the screen is a customer. After it nothing is read until
   * somebody looks: the next payment may begin at once.
   */
  tell({ state }: Omit<TerminalEvent, 'at'>): void {
    if (state === 'settling') this.#since = 'settlement';
    else if (state !== 'idle') this.close();
    else if (this.#since === 'settlement') void this.refresh();
    else this.#since = 'payment';
  }

  /** The terminal stops: from now on a closed journal is no failure. */
  stop(): void {
    this.#stopped = true;
    this.close();
  }

  close(): void {
    this.#session.end();
    this.#parts.pairing?.close();
  }

  async handle(body: unknown): Promise<DeskAnswer> {
    const parsed = deskRequest.safeParse(body);
    if (!parsed.success) return refuse(400, 'malformed');
    try {
      return await this.#answer(parsed.data);
    } catch (error) {
      this.#parts.onFailure(error);
      return refuse(500, 'failed');
    }
  }

  async #answer(asked: DeskRequest): Promise<DeskAnswer> {
    if (asked.kind === 'look') {
      await this.refresh();
      return done;
    }
    if (asked.kind === 'login') return this.#login(asked.password);
    if (!this.#session.holds(asked.session)) return refuse(401, 'locked');
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
      case 'receipts':
        return { status: 200, body: { transactions: await listReceipts(this.#parts) } };
      case 'printReceipt':
        return printReceipt(asked.transaction, this.#parts);
      case 'waiting':
        return {
          status: 200,
          body: { transactions: await waitingOnes(this.#parts), batches: await waitingBatches(this.#parts) },
        };
      case 'setAside':
        return this.#setAside(asked.transaction, asked.outcome);
      case 'decideBatch':
        return this.#decideBatch(asked, asked.outcome);
      case 'pair':
        if (!isIdle()) return refuse(409, 'busy');
        pairing?.open();
        return pairing ? done : refuse(409, 'notPaired');
      case 'decide':
        return pairing?.decide(asked.yes, asked.code) ? done : refuse(409, 'over');
      default:
        return asked satisfies never;
    }
  }

  /** Logs in. A refused login also answers 200 with a reason: a wrong password is not a fault of the page. */
  async #login(password: string): Promise<DeskAnswer> {
    const tried = await this.#parts.password.try(password);
    switch (tried.kind) {
      case 'right':
        if (!this.#parts.isIdle()) return refuse(200, 'busy');
        return { status: 200, body: { session: this.#session.begin() } };
      case 'wrong':
      case 'wait':
        return { status: 200, body: { reason: tried.kind, waitMs: tried.waitMs } };
      case 'none':
        return refuse(200, 'noPassword');
      default:
        return tried satisfies never;
    }
  }

  async #setAside(id: string, outcome: SetAside['outcome']): Promise<DeskAnswer> {
    // Settlements and refunds depend on the present state of transactions, so nothing may change it meanwhile.
    const one = await this.#parts.undisturbed(() => setAside(id, outcome, this.#parts));
    if (!one) return refuse(409, 'busy');
    if ('refused' in one) return refuse(409, one.refused);
    this.#parts.onSetAside(one, outcome);
    await this.refresh();
    return done;
  }

  async #decideBatch(
    asked: { readonly acquirer: string; readonly batch: number; readonly currency: string },
    outcome: BatchOutcome,
  ): Promise<DeskAnswer> {
    // A settlement may be asking the host for this batch right now.
    const one = await this.#parts.undisturbed(() => decideBatch(asked, outcome, this.#parts));
    if (!one) return refuse(409, 'busy');
    if ('refused' in one) return refuse(409, one.refused);
    this.#parts.onBatchDecided(one, outcome);
    if (one.complete) await this.#settleWaiting(one);
    await this.refresh();
    return done;
  }

  /**
   * The decision is already journalled. If a payment comes first or the journal fails, the terminal repeats this by
   * itself.
   */
  async #settleWaiting({ acquirer }: WaitingBatch): Promise<void> {
    const { settleWaiting, onFailure } = this.#parts;
    const request = { posId, messageId: this.#messageId(), acquirerId: acquirerId(acquirer) };
    await settleWaiting(request).catch(onFailure);
  }

  /** The outcome is shown like any other payment's; the answer is that of the POS interface. */
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
