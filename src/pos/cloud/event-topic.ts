import type { Clock } from '../../base/ports/clock.ts';
import type { CloudLink } from '../../payment/contracts/cloud-link.ts';

/** Delay of an event after its payment. Events are hints, and no payment waits for their sending. */
const laterMs = 25;
/** One payment has ten. */
const waitingMax = 100;

/**
 * The topic `events`: the events of GET /sp/v1/events, for every subscriber. At most once, as there: the enquiry
 * decides.
 */
export class EventTopic {
  readonly #link: Pick<CloudLink, 'publish' | 'watch'>;
  readonly #clock: Clock;
  readonly #leave: () => void;
  #isUp = false;
  #waiting: string[] = [];
  #timer: unknown;

  constructor(link: Pick<CloudLink, 'publish' | 'watch'>, clock: Clock) {
    this.#link = link;
    this.#clock = clock;
    this.#leave = link.watch((isUp) => {
      this.#isUp = isUp;
      if (!isUp) this.#drop();
    });
  }

  /** `data`: the fields of the event as JSON. */
  publish(name: 'state' | 'receipt' | 'extraPayment' | 'customerMatter', data: string): void {
    if (!this.#isUp || this.#waiting.length >= waitingMax) return;
    this.#waiting.push(`{"event":"${name}",${data.slice(1)}`);
    if (this.#waiting.length === 1) this.#timer = this.#clock.setTimeout(() => this.#send(), laterMs);
  }

  async close(): Promise<void> {
    this.#leave();
    this.#drop();
  }

  #drop(): void {
    this.#waiting = [];
    this.#clock.clearTimeout(this.#timer);
  }

  #send(): void {
    const events = this.#waiting;
    this.#waiting = [];
    for (const each of events) {
      const message = { payload: Buffer.from(each), expiryS: 60 };
      void this.#link.publish('events', message).catch(() => undefined);
    }
  }
}
