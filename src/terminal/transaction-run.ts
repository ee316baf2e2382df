import { type ActorRefFrom, createActor, fromPromise, toPromise } from 'xstate';
import type { Account } from '../domain/account.ts';
import { parseMajor } from '../domain/amount.ts';
import type { CollectMode } from '../domain/entry-mode.ts';
import type { AcquirerId, TerminalTransactionId } from '../domain/identifiers.ts';
import { beyond } from '../domain/limits.ts';
import type { WalletScheme } from '../domain/payment-scheme.ts';
import type { Accepted } from '../events/accepted.ts';
import type { Conclusion } from '../events/conclusion.ts';
import type { PinOutcome } from '../ports/pin-pad.ts';
import type { ScreenAction, ScreenHint } from '../ports/screen.ts';
import type { TerminalEvent } from '../ports/terminal-events.ts';
import { entryOf } from '../records/batch-load.ts';
import { takers } from '../transaction/decide.ts';
import { collectable, isUncollectable } from '../transaction/collectable.ts';
import {
  type Authorization,
  type Canceller,
  type CardCollected,
  type CodeCollected,
  type OctopusCollected,
  type Presentation,
  transactionMachine,
  type Withdrawal,
} from '../transaction/machine.ts';
import { knownEnd, reversalDue } from '../transaction/recover.ts';
import type { TransactionRecord } from '../records/record.ts';
import { isReferenceRefusal, type ReferenceRefusal } from '../transaction/reference.ts';
import { presentConclusion } from '../records/told.ts';
import { authorized } from './authorization/authorization.ts';
import { cardCompleted } from '../method/card/authorize.ts';
import { Collected } from '../method/collected.ts';
import { Collection } from './collection.ts';
import type { Order } from '../method/order.ts';
import { referredNow } from '../method/original.ts';
import type { RunParts } from './parts.ts';
import { withinMs } from '../ports/pause.ts';
import { recordNow } from '../records/record-tree.ts';
import type { Recovery } from './recovery.ts';
import type { PaymentRequest, Running } from './request.ts';
import { outcomeView, runningView, unknownView } from './view.ts';
import { WalletPayment } from '../method/wallet/payment.ts';

type TransactionActor = ActorRefFrom<typeof transactionMachine>;

/** refused: nothing started and nothing was written, the request names what it may not. */
export type RunEnd =
  | { readonly kind: 'ended'; readonly record: TransactionRecord }
  | { readonly kind: 'refused'; readonly refusal: ReferenceRefusal };

/** One transaction while the terminal is at it. */
export class TransactionRun {
  readonly id: TerminalTransactionId;
  readonly request: PaymentRequest;
  readonly #parts: RunParts;
  readonly #recovery: Recovery;
  readonly #collected = new Collected();
  #actor: TransactionActor | undefined;
  #collection: Collection | undefined;
  #cancelledBy: Canceller | undefined;
  /** What the host or a device asks of the customer meanwhile. */
  #progress: ScreenHint | undefined;

  constructor(id: TerminalTransactionId, request: PaymentRequest, parts: RunParts, recovery: Recovery) {
    this.id = id;
    this.request = request;
    this.#parts = parts;
    this.#recovery = recovery;
  }

  /** Whether it came as far as touching a device or a host. */
  get started(): boolean {
    return this.#actor !== undefined;
  }

  /** Before its actor it is still being written down: nothing is armed or sent, a cancel is in time. */
  get running(): Running {
    const snapshot = this.#actor?.getSnapshot();
    const { value } = snapshot ?? {};
    if (typeof value !== 'object') return { state: snapshot?.status === 'done' ? 'authorizing' : 'collecting' };
    const [state, step] = Object.entries(value)[0] ?? [];
    const name = typeof step === 'string' ? step : Object.keys(step ?? {})[0];
    return { state: state === 'authorizing' ? state : 'collecting', ...(name === undefined ? {} : { step: name }) };
  }

  /** Whether a cancel can still keep the customer from being charged. */
  get cancellable(): boolean {
    const snapshot = this.#actor?.getSnapshot();
    if (!snapshot || snapshot.matches('idle') || snapshot.matches('collecting')) return true;
    return snapshot.can({ type: 'CANCEL', by: 'pos' });
  }

  cancel(by: Canceller): void {
    this.#cancelledBy ??= by;
    this.#actor?.send({ type: 'CANCEL', by });
  }

  /** What the merchant or the customer does on the terminal's own page. What does not fit the moment does nothing. */
  act(action: ScreenAction): void {
    switch (action.kind) {
      case 'cancel':
        return this.cancel('merchant');
      case 'choose':
        return this.#actor?.send({ type: 'CHOOSE', mode: action.mode });
      case 'wallet':
        return this.#actor?.send({ type: 'WALLET', scheme: action.scheme });
      case 'account':
        return this.#account(action.account);
      case 'tender':
        return this.#tender(action.amount);
      default:
        return action satisfies never;
    }
  }

  /** To the end: what it returns is in the journal. Rejects with JournalError. */
  async transacted(): Promise<RunEnd> {
    const { journal, receipts, screen, onFailure } = this.#parts;
    while (this.#recovery.due) await this.#recovery.now();
    const order = await this.#ordered();
    if (isReferenceRefusal(order)) return { kind: 'refused', refusal: order };
    const { existing } = await journal.open(this.id, this.#accepted(order)).catch((error: unknown) => {
      // A commit that was said to fail may stand all the same, and nothing else would end it.
      this.#recovery.later(this.id);
      throw error;
    });
    // It ended between the question and now: whatever the order of the journal's answers, its identity is taken.
    if (existing !== undefined) return { kind: 'ended', record: await this.#record(existing) };
    const collection = new Collection(order, this.#parts, this.#collected);
    this.#collection = collection;
    const actor = this.#started(order, collection);
    await toPromise(actor).catch((error: unknown) => onFailure?.(error));
    const { conclusion } = actor.getSnapshot().context;
    // What the customer gave was for this one payment: it is gone whatever came of it.
    const forgotten = collection.forget();
    try {
      const record = await this.#ended(conclusion);
      receipts?.poke();
      screen.show(outcomeView(record));
      this.#tell({ state: presentConclusion(record).outcome });
      return { kind: 'ended', record };
    } catch (error) {
      this.#recovery.later(this.id);
      screen.show(unknownView(order.amount));
      throw error;
    } finally {
      await forgotten;
    }
  }

  /** The request, with what it refers to and how it can be collected. Checked here, where no other transaction can come between. */
  async #ordered(): Promise<Order | ReferenceRefusal> {
    const { receipts } = this.#parts;
    const {
      type,
      amount,
      originalId,
      tipMinor = 0n,
      cashbackMinor,
      forcedAcquirer,
      preferredInstrument,
      approvalCode,
      shape,
    } = this.request;
    const printsReceipt = receipts !== undefined && shape === 'A';
    const common = { id: this.id, amount, forcedAcquirer, approvalCode, printsReceipt, cashbackMinor };
    if (originalId === undefined) {
      if (type === 'VOID') throw new Error('a VOID names its original');
      const collects = this.#collectable();
      if (isReferenceRefusal(collects)) return collects;
      const order = { ...common, kind: type, tipMinor, collects };
      return (
        (await this.#unfit(
          order,
          takers({ kind: type, forced: forcedAcquirer, preferredInstrument }, this.#parts.profiles),
        )) ?? order
      );
    }
    const answer = await referredNow(this.request, originalId, this.#parts);
    if (isReferenceRefusal(answer)) return answer;
    const { tree: _tree, ...resolved } = answer;
    const { intent } = resolved.original.record;
    const limits = this.#parts.profiles.find(({ id }) => id === intent?.acquirerId)?.limits;
    const limit = beyond(amount, limits);
    if (limit) return { result: 'INVALID_PARAMETER', pointer: '/requestAmount', message: `is not possible: ${limit}` };
    // A refund to a card asks for that card; to a wallet, and everything else, goes by the original alone.
    const presents = resolved.kind === 'REFUND' && intent !== undefined && 'card' in intent;
    const collects = presents ? ({ modes: ['CARD'], start: 'CARD', wallets: [] } as const) : nothingCollected;
    const order = { ...common, ...resolved, collects };
    return (await this.#unfit(order, intent ? [intent.acquirerId] : [])) ?? order;
  }

  /** None of these has room for it: said before anything starts. */
  async #unfit(order: Order, takers: readonly AcquirerId[]): Promise<ReferenceRefusal | undefined> {
    const entry = entryOf(order, order.original?.total.minor);
    const faults = await Promise.all(takers.map((id) => this.#parts.room.fault(id, entry)));
    const [message] = faults;
    if (message === undefined || faults.includes(undefined)) return undefined;
    return { result: 'INVALID_PARAMETER', pointer: '/requestAmount', message };
  }

  /** What stands ready now. Where nothing does, what is configured: its device says then what is wrong with it. */
  #collectable(): Order['collects'] | ReferenceRefusal {
    const { profiles, reader, scanner } = this.#parts;
    const equipment = { scanner: scanner !== undefined, pinPad: reader.pinPad !== undefined };
    const all = collectable(this.request, profiles, equipment);
    if (isUncollectable(all)) return { result: 'INVALID_PARAMETER', ...all };
    const modes = all.modes.filter((mode) => mode === all.start || this.#ready(mode));
    if (modes.length === 0) return all;
    const start = all.start ?? (modes.length === 1 ? modes[0] : undefined);
    return { modes, wallets: all.wallets, ...(start === undefined ? {} : { start }) };
  }

  #ready(mode: CollectMode): boolean {
    const { reader, scanner, octopus } = this.#parts;
    switch (mode) {
      case 'CARD':
      case 'EPS':
        return reader.state === 'ready';
      case 'QR_SCAN':
        return scanner?.state === 'ready';
      case 'OCTOPUS':
        return octopus?.state === 'ready';
      case 'QR_PRESENT':
      case 'CASH':
        return true;
      default:
        return mode satisfies never;
    }
  }

  #accepted({ kind, amount, tipMinor, cashbackMinor }: Order): Accepted {
    const { posId, messageId, digest, shape, originalId, approvalCode } = this.request;
    return {
      kind: 'accepted',
      posId,
      messageId,
      digest,
      type: kind,
      amountMinor: amount.minor.toString(),
      currency: amount.currency,
      shape,
      ...(tipMinor === 0n ? {} : { tipMinor: tipMinor.toString() }),
      ...(originalId === undefined ? {} : { originalId }),
      ...(approvalCode === undefined ? {} : { approvalCode }),
      ...(cashbackMinor === undefined ? {} : { cashbackMinor: cashbackMinor.toString() }),
    };
  }

  #started(order: Order, collection: Collection): TransactionActor {
    const { amount, collects } = order;
    const { clock, timeouts } = this.#parts;
    const actor = createActor(transactionMachine.provide({ actors: this.#actors(order, collection) }), {
      input: { amount, collectTimeoutMs: timeouts.collectMs, walletTimeoutMs: timeouts.walletMs, ...collects },
      clock: { setTimeout: (fn, ms) => clock.setTimeout(fn, ms), clearTimeout: (id) => clock.clearTimeout(id) },
    });
    this.#actor = actor;
    actor.subscribe({ next: () => this.#show(order), error: () => undefined });
    actor.start();
    actor.send({ type: 'START' });
    if (this.#cancelledBy) actor.send({ type: 'CANCEL', by: this.#cancelledBy });
    return actor;
  }

  #show(order: Order): void {
    const { screen } = this.#parts;
    const snapshot = this.#actor?.getSnapshot();
    if (!snapshot || !this.#collection) return;
    if (!snapshot.matches('authorizing')) this.#progress = undefined;
    const view = runningView(snapshot, order, this.#collection, this.#progress);
    if (!view) return;
    screen.show(view);
    this.#tell({ ...this.running, ...(view.hint === undefined ? {} : { hint: view.hint }) });
  }

  #tell(event: Omit<TerminalEvent, 'at'>): void {
    const { posId, messageId } = this.request;
    this.#parts.events?.tell({ ...event, posId, messageId, terminalTransactionId: this.id });
  }

  /** What the machine's actors do on this terminal. */
  #actors(order: Order, collection: Collection) {
    const { journal } = this.#parts;
    const wallet = new WalletPayment(order, this.#parts);
    const progress = (hint: ScreenHint | undefined) => {
      if (hint === this.#progress) return;
      this.#progress = hint;
      this.#show(order);
    };
    return {
      collectCard: fromPromise<CardCollected, CollectMode | undefined>(({ input, signal }) =>
        collection.card(input, signal),
      ),
      enterPin: fromPromise<PinOutcome, { readonly again: boolean }>(({ input, signal }) =>
        collection.pin(input.again, signal),
      ),
      scanCode: fromPromise<CodeCollected>(({ signal }) => collection.code(signal)),
      tapOctopus: fromPromise<OctopusCollected>(({ signal }) => collection.octopusCard(signal)),
      disarm: fromPromise<void>(() => collection.disarmed()),
      askCode: fromPromise<Presentation, WalletScheme | undefined>(({ input }) => wallet.asked(input)),
      awaitPayment: fromPromise<Withdrawal>(({ signal }) => wallet.awaited(signal)),
      withdraw: fromPromise<Withdrawal>(() => wallet.withdrawn()),
      authorize: fromPromise<Authorization>(() => authorized(order, this.#collected, wallet, this.#parts, progress)),
      completeCard: fromPromise<Authorization>(() => cardCompleted(order, this.#collected, this.#parts)),
      reverse: fromPromise<void>(() => this.#reversed()),
      conclude: fromPromise<void, Conclusion>(async ({ input }) => {
        const record = await this.#record(this.id);
        // A commit that was said to fail may stand all the same: then the journal's word holds.
        if (record.conclusion) return;
        const due = reversalDue(record, 'unwritten answer');
        await journal.append(this.id, [...due, { kind: 'ended', ...knownEnd(record, input) }]);
      }),
    };
  }

  #account(account: Account): void {
    if (!this.#actor?.getSnapshot().matches({ collecting: 'choosingAccount' })) return;
    this.#collected.account = account;
    this.#actor.send({ type: 'ACCOUNT' });
  }

  #tender(text: string): void {
    if (!this.#actor?.getSnapshot().matches({ collecting: 'tenderingCash' })) return;
    const tendered = parseMajor(text, this.request.amount.currency);
    if (typeof tendered === 'string' || !this.#collection?.tendered(tendered.minor)) return;
    this.#actor.send({ type: 'TENDERED' });
  }

  async #reversed(): Promise<void> {
    const { journal, forwarder, timeouts, clock } = this.#parts;
    try {
      const record = await this.#record(this.id);
      const due = reversalDue(record, 'unwritten answer');
      if (due.length > 0) await journal.append(this.id, due);
      if (record.intent) await withinMs(forwarder.flush(record.intent.acquirerId), timeouts.reversalWaitMs, clock);
    } catch (error) {
      this.#recovery.later(this.id);
      throw error;
    }
  }

  /** The record as the journal has it. Where the journal failed at the end, the conclusion is the machine's word. */
  async #ended(conclusion: Conclusion | undefined): Promise<TransactionRecord> {
    const record = await this.#record(this.id);
    if (record.conclusion) return record;
    const told = conclusion?.result === 'SUCCESS' ? undefined : conclusion;
    this.#recovery.later(this.id, told);
    return told ? { ...record, conclusion: told } : record;
  }

  async #record(id: TerminalTransactionId): Promise<TransactionRecord> {
    return recordNow(id, this.#parts.journal);
  }
}

const nothingCollected: Order['collects'] = { modes: [], wallets: [] };
