import { showsCardNumber } from '../../base/domain/masking.ts';
import type { Refusal } from '../../base/domain/reason.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { Screen, ScreenView, TillView } from '../../payment/contracts/screen.ts';

const notAllowed: Refusal = {
  reason: 'displayNotAllowed',
  message: 'the configuration forbids a till to use the screen',
};
const busy: Refusal = { reason: 'busy', message: 'the screen is that of the payment that runs' };

/** `waiting`: the outcome of a payment is shown, and this after it. */
export type Displayed = 'shown' | 'waiting' | 'cleared' | 'busy' | 'cardNumber';

export interface IdleDisplayOptions {
  readonly isAllowed: boolean;
  /** How long a content is shown, unless the till sends another time. */
  readonly shownMs: number;
  /** The treatment of a text that looks like a whole card number. */
  readonly cardNumbers: 'refuse' | 'print';
}

/**
 * The screen, with a till's content while it is idle. The content is part of the idle view only: a payment has the
 * screen from its first view to the end of its outcome. The content is removed when a payment begins, after its time,
 * or by its till; the content of another till replaces it.
 */
export class IdleDisplay implements Screen {
  readonly #screen: Screen;
  readonly #clock: Clock;
  readonly #options: IdleDisplayOptions;
  #view: ScreenView = { scene: 'idle' };
  #till: TillView | undefined;
  #timer: unknown;

  constructor(screen: Screen, clock: Clock, options: IdleDisplayOptions) {
    this.#screen = screen;
    this.#clock = clock;
    this.#options = options;
  }

  /** Why no till can show anything at all. */
  get refusal(): Refusal | undefined {
    return this.#options.isAllowed ? undefined : notAllowed;
  }

  /** Why nothing can be shown at this moment. */
  get currentRefusal(): Refusal | undefined {
    return this.refusal ?? (this.#isTaken ? busy : undefined);
  }

  get isWatched(): boolean {
    return this.#screen.isWatched;
  }

  show(view: ScreenView): void {
    this.#view = view;
    if (this.#isTaken) this.#forget();
    this.#refresh();
  }

  onAction(...listener: Parameters<Screen['onAction']>): () => void {
    return this.#screen.onAction(...listener);
  }

  /**
   * Shows this for the given or the usual time, in place of any till's content. Must be called only without a
   * `refusal`.
   */
  display(till: TillView, ms = this.#options.shownMs): Displayed {
    if (this.#isTaken) return 'busy';
    if (this.#options.cardNumbers === 'refuse' && showsCardNumber(...textsOf(till))) return 'cardNumber';
    this.#forget();
    this.#till = till;
    this.#timer = this.#clock.setTimeout(() => this.#end(), ms);
    this.#refreshIdle();
    return this.#view.scene === 'idle' ? 'shown' : 'waiting';
  }

  /** Removes the content of this till; that of another stays. */
  clear(posId: string): Displayed {
    if (this.#till?.posId === posId) this.#end();
    return 'cleared';
  }

  async close(): Promise<void> {
    this.#forget();
  }

  /** A payment names its transaction in each view until its outcome. */
  get #isTaken(): boolean {
    return this.#view.transaction !== undefined;
  }

  #end(): void {
    this.#forget();
    this.#refreshIdle();
  }

  #forget(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#till = undefined;
  }

  #refreshIdle(): void {
    if (this.#view.scene === 'idle') this.#refresh();
  }

  #refresh(): void {
    const isIdle = this.#view.scene === 'idle';
    this.#screen.show(isIdle && this.#till ? { ...this.#view, till: this.#till } : this.#view);
  }
}

function textsOf({ text = [], cart }: TillView): readonly string[] {
  return [...text, ...(cart?.lines ?? []).flatMap(({ name, quantity = '' }) => [name, `${quantity} ${name}`])];
}
