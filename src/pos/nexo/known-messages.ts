import type { Clock } from '../../base/ports/clock.ts';
import { MessageFile, type ReversalPlan, type StoredMessage } from './message-file.ts';
import type { NexoResponse } from './response.ts';

/** For so long a ServiceID is not used again by the same till. */
const keptMs = 48 * 3_600_000;
/** Of the last two days: one in 35 seconds, day and night. */
const messagesMax = 5_000;
/** Tills ask for a message within minutes. A younger one is never given up for another. */
const neededMs = 3_600_000;
/** An abort can come before its payment, but not by much. */
const abortedMs = 600_000;
const abortedMax = 256;

/** By what later messages name an earlier one. */
export interface MessageName {
  readonly posId: string;
  readonly saleId: string;
  readonly serviceId: string;
}

/** A message that can move money, and what is being done for it. */
export interface KnownMessage extends Omit<StoredMessage, 'plan'> {
  plan?: ReversalPlan;
  /** Resolves once it is on disk; with a response if it is refused before. Rejects if it can't be written. */
  ready: Promise<NexoResponse | undefined>;
  /** Something was started for it, by this process or an earlier one. */
  isStarted: boolean;
  /** It was aborted before anything was started for it. */
  isAborted: boolean;
  /** Calls under way for it. */
  calls: number;
  /** The call that carries it out, which repeats join. */
  running?: Promise<unknown> | undefined;
}

/** `same`: it came before. `other`: another message has its ServiceID. `aborted`: its abort came first. */
export type Claimed =
  | { readonly kind: 'new' | 'same'; readonly message: KnownMessage }
  | { readonly kind: 'other' | 'aborted' | 'full' };

/** What is found before a message is written. */
export type Prepared = { readonly plan?: ReversalPlan } | { readonly refused: NexoResponse };

/** The messages of the last two days that can move money, by SaleID and ServiceID: on disk. */
export class KnownMessages {
  readonly #file: MessageFile;
  readonly #clock: Clock;
  /** The oldest first. */
  readonly #messages = new Map<string, KnownMessage>();
  /** When messages that have not come yet were aborted. */
  readonly #aborted = new Map<string, number>();
  #gapUntilMs = 0;

  private constructor(file: MessageFile, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  /** Rejects with an Error that names the file if it can't be read or written. */
  static async open(file: string, clock: Clock): Promise<KnownMessages> {
    const own = new KnownMessages(new MessageFile(file), clock);
    const nowMs = clock.now().getTime();
    const { messages, gapUntilMs } = await own.#file.read(nowMs + keptMs);
    own.#gapUntilMs = gapUntilMs;
    for (const each of messages) own.#add(restored(each));
    for (const [key, { atMs }] of own.#messages) if (own.#isOver(atMs)) own.#messages.delete(key);
    return own;
  }

  get size(): number {
    return this.#messages.size;
  }

  /** False while messages of the last two days are missing because the file was damaged. */
  get isWhole(): boolean {
    return this.#clock.now().getTime() >= this.#gapUntilMs;
  }

  find(name: MessageName): KnownMessage | undefined {
    const message = this.#messages.get(keyOf(name));
    return message && !this.#isOver(message.atMs) ? message : undefined;
  }

  /** The latest message of a till. */
  last({ posId, saleId }: Omit<MessageName, 'serviceId'>): KnownMessage | undefined {
    return [...this.#messages.values()].findLast((each) => each.posId === posId && each.saleId === saleId);
  }

  /** `prepare`: called for a new message, before it is written. */
  claim(message: Omit<StoredMessage, 'atMs' | 'plan'>, prepare: () => Promise<Prepared>): Claimed {
    const key = keyOf(message);
    const known = this.find(message);
    if (known) return known.digest === message.digest ? { kind: 'same', message: known } : { kind: 'other' };
    if (this.#isAborted(key)) return { kind: 'aborted' };
    this.#messages.delete(key);
    if (!this.#makePlace()) return { kind: 'full' };
    const atMs = this.#clock.now().getTime();
    const claimed: KnownMessage = { ...message, atMs, ...begun };
    this.#messages.set(key, claimed);
    claimed.ready = this.#write(claimed, prepare);
    claimed.ready.catch(() => this.release(claimed));
    return { kind: 'new', message: claimed };
  }

  /** Changes what a message is carried out as. Resolves once that survives a power cut. */
  async replan(message: KnownMessage, plan: ReversalPlan): Promise<void> {
    await this.#file.append({ ...message, plan });
    message.plan = plan;
  }

  /** Nothing was started for it, and nothing is known of it from now on. */
  release(message: KnownMessage): void {
    if (message.calls === 0 && this.#messages.get(keyOf(message)) === message) this.#messages.delete(keyOf(message));
  }

  /** The message that is to be aborted; if it has not come, it is not carried out when it comes within minutes. */
  abort(name: MessageName): KnownMessage | undefined {
    const message = this.find(name);
    if (message) {
      message.isAborted ||= !message.isStarted;
      return message;
    }
    const key = keyOf(name);
    this.#aborted.delete(key);
    const [oldest] = this.#aborted.keys();
    if (this.#aborted.size >= abortedMax && oldest !== undefined) this.#aborted.delete(oldest);
    this.#aborted.set(key, this.#clock.now().getTime());
    return undefined;
  }

  async #write(message: KnownMessage, prepare: () => Promise<Prepared>): Promise<NexoResponse | undefined> {
    const prepared = await prepare();
    if ('refused' in prepared) {
      this.release(message);
      return prepared.refused;
    }
    if (prepared.plan) message.plan = prepared.plan;
    if (this.#file.lines >= 2 * messagesMax) await this.#file.replace([...this.#messages.values()], this.#gapUntilMs);
    else await this.#file.append(message);
    return undefined;
  }

  #add(message: KnownMessage): void {
    const key = keyOf(message);
    this.#messages.delete(key);
    this.#messages.set(key, message);
  }

  #isAborted(key: string): boolean {
    const atMs = this.#aborted.get(key);
    return atMs !== undefined && this.#clock.now().getTime() - atMs < abortedMs;
  }

  #isOver(atMs: number): boolean {
    return this.#clock.now().getTime() - atMs >= keptMs;
  }

  #makePlace(): boolean {
    if (this.#messages.size < messagesMax) return true;
    const [oldest] = this.#messages.values();
    if (!oldest || oldest.calls > 0 || this.#clock.now().getTime() - oldest.atMs < neededMs) return false;
    return this.#messages.delete(keyOf(oldest));
  }
}

const begun = { ready: Promise.resolve(undefined), isStarted: false, isAborted: false, calls: 0 };

/** Of an earlier process: something may have been started for it. */
function restored({ plan, ...message }: StoredMessage): KnownMessage {
  return { ...message, ...(plan ? { plan } : {}), ...begun, isStarted: true };
}

function keyOf({ posId, saleId, serviceId }: MessageName): string {
  return JSON.stringify([posId, saleId, serviceId]);
}
