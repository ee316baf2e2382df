import type { Clock } from '../../base/ports/clock.ts';
import { type CloudLink, type CloudMessage, MessageTooLong } from '../../payment/contracts/cloud-link.ts';

export interface PresenceOptions {
  readonly link: Pick<CloudLink, 'publish' | 'watch'>;
  readonly clock: Clock;
  /** The answer of GET /sp/v1/status. */
  readonly status: () => Promise<Readonly<Record<string, unknown>>>;
  readonly everyMs: number;
  readonly onFailure: (error: unknown) => void;
}

/** The broker publishes it when the connection breaks and is not restored. */
export const will = { topic: 'status', ...offline(), delayS: 20 } as const;

function offline(at?: Date): CloudMessage {
  const status = { state: 'offline', ...(at ? { at: at.toISOString() } : {}) };
  return statusMessage(status);
}

function statusMessage(status: object): CloudMessage {
  return { payload: Buffer.from(JSON.stringify(status)), qos: 1, retain: true };
}

/** Fields that are not sent to a broker: the owner of the running payment, and codes of answers. */
const leftOut: ReadonlySet<string> = new Set(['running', 'responseResult', 'responseCode', 'message', 'state', 'step']);

/**
 * The retained topic `status`: at each connect, from time to time, and `offline` at the end. `terminal` is the
 * terminal's state; `state` shows whether it is connected.
 */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #since: string;
  readonly #stop: () => void;
  #timer: unknown;
  #publishing: Promise<void> = Promise.resolve();

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#since = options.clock.now().toISOString();
    this.#stop = options.link.watch((isUp) => {
      options.clock.clearTimeout(this.#timer);
      if (isUp) this.#announceNext();
    });
  }

  /** One after the other: an older status never comes after a newer one. */
  #announceNext(): void {
    const { clock, everyMs } = this.#options;
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(() => this.#announceNext(), everyMs);
    this.#publishing = this.#publishing.then(() => this.#publish());
  }

  async #publish(): Promise<void> {
    const { link, clock, status, onFailure } = this.#options;
    try {
      const reported = await status();
      const extract = Object.fromEntries(Object.entries(reported).filter(([name]) => !leftOut.has(name)));
      const at = clock.now().toISOString();
      const short = { state: 'online', at, since: this.#since, terminal: reported['state'] };
      // Lost with the connection: the next one begins with it.
      await link.publish('status', statusMessage({ ...short, ...extract })).catch((error: unknown) => {
        if (error instanceof MessageTooLong) return link.publish('status', statusMessage(short)).catch(() => undefined);
        return undefined;
      });
    } catch (error) {
      onFailure(error);
    }
  }

  /** At an orderly end the status is sent, so that it is not taken for a failure. */
  async close(): Promise<void> {
    const { link, clock } = this.#options;
    this.#stop();
    clock.clearTimeout(this.#timer);
    await this.#publishing;
    await link.publish('status', offline(clock.now())).catch(() => undefined);
  }
}
