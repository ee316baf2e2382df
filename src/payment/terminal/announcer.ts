import type { ActorRefFrom } from 'xstate';
import { escapePlainly, type TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Progress, Order, Queue } from '../method/order.ts';
import type { ScreenHint, ScreenView } from '../contracts/screen.ts';
import type { TerminalEvent } from '../contracts/terminal-events.ts';
import type { TransactionRecord } from '../records/record.ts';
import { presentConclusion } from '../records/present.ts';
import type { transactionMachine } from '../transaction/machine.ts';
import { outcomeView, unknownView, withMerchant } from './outcome-view.ts';
import type { RunParts } from './parts.ts';
import type { PaymentRequest } from './request.ts';
import { type Progressing, runningOf, runningView } from './running-view.ts';
import type { Sessions } from './sessions.ts';
import type { OptionQuestions } from './option-questions.ts';
import type { Collected } from './recovery.ts';
import type { CollectMode } from '../../base/domain/payment-scheme.ts';
import type { Methods } from '../method/methods.ts';

type TransactionActor = ActorRefFrom<typeof transactionMachine>;

/** Reports the progress of one transaction to the screen and to the event stream. */
export class Announcer {
  readonly #id: TerminalTransactionId;
  readonly #request: PaymentRequest;
  readonly #parts: Pick<
    RunParts,
    'screen' | 'events' | 'methods' | 'forwarder' | 'namesTills' | 'approvals' | 'merchants'
  >;
  /** The hint that the host or a device currently has for the customer. */
  #progress: Progressing = {};
  /** Reports of a device that is already armed while the acceptance is being written. */
  #early: ScreenHint | undefined;
  #show: () => void = () => undefined;
  #actor: TransactionActor | undefined;
  #sessions: Sessions | undefined;

  constructor(
    id: TerminalTransactionId,
    request: PaymentRequest,
    parts: Pick<RunParts, 'screen' | 'events' | 'methods' | 'forwarder' | 'approvals' | 'merchants'>,
  ) {
    this.#id = id;
    this.#request = request;
    this.#parts = parts;
  }

  readonly progress: Progress = (hint, scene) => {
    if (!this.#actor) {
      this.#early = hint;
      return;
    }
    const snapshot = this.#actor.getSnapshot();
    if (hint !== undefined && snapshot.matches('collecting')) {
      // The machine keeps the hint until the customer has presented a card or code.
      if (hint !== snapshot.context.hint) this.#actor.send({ type: 'HINT', hint });
      return;
    }
    if (hint === this.#progress.hint) return;
    this.#progress = { hint, scene };
    this.#show();
  };

  follow(actor: TransactionActor, sessions: Sessions, questions: OptionQuestions): void {
    this.#actor = actor;
    this.#sessions = sessions;
    this.#show = () => this.#showRunning(actor, sessions, questions);
    actor.subscribe({ next: () => this.#show(), error: () => undefined });
  }

  /** Shows the reports that came before the payment could be shown. */
  catchUp(): void {
    if (this.#early !== undefined) this.progress(this.#early);
  }

  end(record: TransactionRecord): void {
    const { screen, approvals, merchants } = this.#parts;
    const { merchantId } = record.request;
    if (!approvals.ask(record))
      screen.show(withMerchant(outcomeView(record, this.#describeCollecting()), merchantId, merchants));
    this.#emit({ state: presentConclusion(record).outcome });
  }

  /** Called when the journal can't be read for the outcome. */
  endUnknown(): void {
    this.#parts.approvals.leave(this.#id);
    this.#parts.screen.show(unknownView(this.#request.amount, this.#request.type));
  }

  #describeCollecting(): Collected {
    const { mode, modes } = this.#actor?.getSnapshot().context ?? {};
    const { methods, forwarder } = this.#parts;
    if (mode === undefined || !modes || !this.#sessions) return { ways: [] };
    return { mode, ways: waysThatWork(mode, this.#sessions.order, modes, methods, forwarder) };
  }

  #showRunning(actor: TransactionActor, sessions: Sessions, questions: OptionQuestions): void {
    const { screen, methods, merchants } = this.#parts;
    const snapshot = actor.getSnapshot();
    if (!snapshot.matches('authorizing')) this.#progress = {};
    const view = runningView(snapshot, methods, sessions, { ...this.#progress, question: questions.view });
    if (!view) return;
    screen.show(withMerchant({ ...view, ...this.#asker() }, sessions.order.merchantId, merchants));
    this.#emit({ ...runningOf(snapshot, methods, questions), ...(view.hint === undefined ? {} : { hint: view.hint }) });
  }

  /** The merchant sees the requesting till, if tills may be outside the shop. */
  #asker(): Pick<ScreenView, 'asker'> {
    if (!this.#parts.namesTills) return {};
    const { posId, expiresAt } = this.#request;
    return { asker: { posId: escapePlainly(posId), ...(expiresAt ? { cloud: true } : {}) } };
  }

  #emit(event: Omit<TerminalEvent, 'at'>): void {
    const { posId, messageId } = this.#request;
    const merchantId = this.#sessions?.order.merchantId;
    const identity = { posId, messageId, terminalTransactionId: this.#id };
    this.#parts.events?.emit({ ...event, ...identity, ...(merchantId === undefined ? {} : { merchantId }) });
  }
}

/**
 * The modes of other methods with which the customer can pay this order now: their device is ready, and no earlier
 * message waits for their acquirer.
 */
function waysThatWork(
  mode: CollectMode,
  { takers }: Pick<Order, 'takers'>,
  modes: readonly CollectMode[],
  methods: Methods,
  forwarder: Pick<Queue, 'rests'>,
): readonly CollectMode[] {
  const { method } = methods.ofMode(mode);
  const resting = takers.filter(({ id }) => forwarder.rests(id));
  return modes.filter((each) => {
    const other = methods.ofMode(each);
    if (other.method === method || other.mode.notReady() !== undefined) return false;
    return other.mode.schemesOf(resting).length > 0;
  });
}
