import type { CollectMode } from '../../base/domain/payment-scheme.ts';
import type { Scene, ScreenView } from '../contracts/screen.ts';
import type { MethodMode, MethodSession, PaymentMethod } from '../method/payment-method.ts';
import type { Methods } from '../method/methods.ts';
import type { Order, SessionParts } from '../method/order.ts';
import type { Written } from '../method/commit-answer.ts';
import type { CodeRequest, Authorization, Collecting, Presentation } from '../transaction/machine.ts';
import { gateJournal, awaitOrOutcome } from './recovery.ts';

/**
 * A device that is armed while the acceptance of its payment is still being written. Its result is used only once the
 * acceptance is durable. If the acceptance can't be written, the device is disarmed.
 */
class ArmedAhead {
  readonly #mode: CollectMode;
  readonly #stop = new AbortController();
  readonly #collecting: Promise<Collecting>;

  constructor(mode: CollectMode, collect: (signal: AbortSignal) => Promise<Collecting>) {
    this.#mode = mode;
    this.#collecting = collect(this.#stop.signal);
    // A device may fail before its result is awaited.
    this.#collecting.catch(() => undefined);
  }

  /** The collecting that has begun, which `signal` ends from now on. For any other mode, it is ended. */
  take(mode: CollectMode, signal: AbortSignal): Promise<Collecting> | undefined {
    if (mode !== this.#mode) {
      this.stop();
      return undefined;
    }
    if (signal.aborted) this.stop();
    else signal.addEventListener('abort', () => this.stop(), { once: true });
    return this.#collecting;
  }

  /** The device's confirmation is for its session's `disarm`. */
  stop(): void {
    this.#stop.abort();
  }
}

/** The method sessions of one payment. The merchant may change the method until one is authorized. */
export class Sessions {
  #order: Order;
  readonly #methods: Methods;
  readonly #parts: SessionParts;
  readonly #begun = new Map<PaymentMethod, MethodSession>();
  #current: MethodSession | undefined;
  #ahead: ArmedAhead | undefined;

  constructor(order: Order, methods: Methods, parts: SessionParts) {
    this.#order = order;
    this.#methods = methods;
    this.#parts = { ...parts, journal: gateJournal(parts.journal, () => this.#findOutcome()) };
  }

  get order(): Order {
    return this.#order;
  }

  /**
   * Replaces the order, with the answer to the question of an option. Once a card or code was presented, its method
   * must be able to continue with another amount, and no other method may be used (`OptionQuestions`).
   */
  replan(order: Order): void {
    if (this.#begun.size > 0) {
      if (!this.#current?.replan) throw new Error(`collecting of ${order.id} has begun with another amount`);
      this.#current.replan(order);
    }
    this.#order = order;
  }

  /** The session that was used last. */
  get current(): MethodSession | undefined {
    return this.#current;
  }

  /** The session for this mode, which becomes the current one. */
  at(name: CollectMode): { readonly mode: MethodMode; readonly session: MethodSession } {
    const { method, mode } = this.#methods.ofMode(name);
    return { mode, session: this.#of(method) };
  }

  /**
   * Arms the first mode before the acceptance of the order is durable, if its method allows that. `collect` takes the
   * data that was read, or `disarm` erases it.
   */
  armAhead(): void {
    const { modes, start, defaultMode } = this.#order.collects;
    const first = modes.length > 0 ? (start ?? defaultMode) : undefined;
    if (first === undefined || this.#methods.ofMode(first).mode.armsAhead !== true) return;
    const { session } = this.at(first);
    this.#ahead = new ArmedAhead(first, (signal) => session.collect(first, signal));
  }

  /** Arms the devices of the mode, or continues the collecting that `armAhead` has begun. Rejects with DeviceError. */
  collect(name: CollectMode, signal: AbortSignal): Promise<Collecting> {
    const { session } = this.at(name);
    const ahead = this.#ahead;
    this.#ahead = undefined;
    return ahead?.take(name, signal) ?? session.collect(name, signal);
  }

  /** Ends a collecting that `armAhead` has begun and that was not continued. */
  stopAhead(): void {
    this.#ahead?.stop();
  }

  /** The device that a mode needs, by its name in a message. */
  deviceOf(name: CollectMode): string | undefined {
    return this.#methods.ofMode(name).mode.device;
  }

  /** The content of a mode's scene. */
  detailsOf(name: CollectMode, scene: Scene): Partial<ScreenView> {
    const { method } = this.#methods.ofMode(name);
    return this.#sessionOf(method).details?.(name, scene) ?? {};
  }

  /** Authorizes with the collected data, or else by the original. */
  authorize(): Promise<Authorization> {
    const { original, collects } = this.#order;
    if (collects.modes.length > 0 && this.#current) return awaitOrOutcome(this.#current.authorize());
    const intent = original?.record.intent;
    const method = intent && this.#methods.ofIntent(intent);
    if (!method) throw new Error(`nothing was collected for ${this.#order.id}, and no method here owns its original`);
    return this.#of(method).authorizeByReference();
  }

  /** Requests a code to show. Rejects only if the intent could not be written. */
  askCode({ mode, scheme }: CodeRequest): Promise<Presentation> {
    const { code } = this.at(mode).session;
    if (!code) throw new Error('no code is shown by this method');
    return awaitOrOutcome(code.present(scheme));
  }

  /**
   * The outcome of this payment if a code that was shown for it before was paid after all. Nothing else may be charged
   * then. A payment that never showed a code does not wait for this.
   */
  async #findOutcome(): Promise<Written | undefined> {
    for (const { code } of this.#begun.values()) {
      const outcome = await code?.findLatePayment();
      if (outcome) return outcome;
    }
    return undefined;
  }

  /** Disarms the device and erases the collected data. Never rejects. */
  async disarm(): Promise<void> {
    this.stopAhead();
    await this.#current?.disarm();
    await this.forget();
  }

  async forget(): Promise<void> {
    await Promise.all([...this.#begun.values()].map((session) => session.forget()));
  }

  #of(method: PaymentMethod): MethodSession {
    this.#current = this.#sessionOf(method);
    return this.#current;
  }

  #sessionOf(method: PaymentMethod): MethodSession {
    let session = this.#begun.get(method);
    if (!session) this.#begun.set(method, (session = method.begin(this.#order, this.#parts)));
    return session;
  }
}
