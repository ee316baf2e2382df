import type { Clock } from '../../base/ports/clock.ts';
import { MessageFile, type ReversalPlan, type StoredMessage } from './message-file.ts';
import type { NexoResponse } from './response.ts';

/** For so long a till may not use a ServiceID again. */
const keptMs = 48 * 3_600_000;
/** In two days, one in 35 seconds, day and night. */
const messagesMax = 5_000;
/** Tills ask for a message within minutes. A younger one is never given up for another. */
const neededMs = 3_600_000;
/** An abort can come before its payment, but not by much. */
const voidMs = 600_000;
const voidMax = 256;
/** Messages that wait to be written: each delays the next by a write to the disk. */
const writingMax = 32;

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

/** `same`: it came before. `other`: another message has its ServiceID. `void`: it was aborted, or said not to exist. */
export type Claimed =
  | { readonly kind: 'new' | 'same'; readonly message: KnownMessage }
  | { readonly kind: 'other' | 'void' | 'full' };

/** What is found before a message is written. */
export type Prepared = { readonly plan?: ReversalPlan } | { readonly refused: NexoResponse };

/**
 * The latest messages that can move money, by SaleID and ServiceID: on disk. They are known for longer than two days if
 * there is room: then a clock that was wrong makes none of them unknown.
 */
export class KnownMessages {
  readonly #file: MessageFile;
  readonly #clock: Clock;
  /** The oldest first. */
  readonly #messages = new Map<string, KnownMessage>();
  /** Since when messages that have not come yet must not be carried out. */
  readonly #void = new Map<string, number>();
  #writing = 0;
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
    for (const each of messages) own.#add(restoreMessage(each));
    for (const key of [...own.#messages.keys()].slice(0, -messagesMax)) own.#messages.delete(key);
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
    return this.#messages.get(keyOf(name));
  }

  /** The latest message of a till. */
  last({ posId, saleId }: Omit<MessageName, 'serviceId'>): KnownMessage | undefined {
    return [...this.#messages.values()].findLast((each) => each.posId === posId && each.saleId === saleId);
  }

  /** `prepare`: called for a new message, before it is written. */
  claim(message: Omit<StoredMessage, 'atMs' | 'plan'>, prepare: () => Promise<Prepared>): Claimed {
    const key = keyOf(message);
    const known = this.find(message);
    if (known?.digest === message.digest) return { kind: 'same', message: known };
    if (known && (known.calls > 0 || this.#ageMs(known.atMs) < keptMs)) return { kind: 'other' };
    const voidedMs = this.#void.get(key);
    if (voidedMs !== undefined && this.#ageMs(voidedMs) < voidMs) return { kind: 'void' };
    if (this.#writing >= writingMax || !(known || this.#makePlace())) return { kind: 'full' };
    this.#messages.delete(key);
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

  /** Nothing was started for it, and its till was told so: nothing will be. */
  forget(message: KnownMessage): void {
    // A repeat of it that has come meanwhile is not carried out either.
    Object.assign(message, { isStarted: false, isAborted: true });
    this.release(message);
    this.makeVoid(message);
  }

  /** The message that is to be aborted; if it has not come, it is not carried out when it comes within minutes. */
  abort(name: MessageName): KnownMessage | undefined {
    const message = this.find(name);
    if (message) {
      message.isAborted ||= !message.isStarted;
      return message;
    }
    this.makeVoid(name);
    return undefined;
  }

  /**
   * The message has not come, and its till was told so, or has aborted it: it is not carried out when it comes within
   * minutes.
   */
  makeVoid(name: MessageName): void {
    const key = keyOf(name);
    this.#void.delete(key);
    const [oldest] = this.#void.keys();
    if (this.#void.size >= voidMax && oldest !== undefined) this.#void.delete(oldest);
    this.#void.set(key, this.#clock.now().getTime());
  }

  async #write(message: KnownMessage, prepare: () => Promise<Prepared>): Promise<NexoResponse | undefined> {
    this.#writing += 1;
    try {
      return await this.#prepareAndWrite(message, prepare);
    } finally {
      this.#writing -= 1;
    }
  }

  async #prepareAndWrite(message: KnownMessage, prepare: () => Promise<Prepared>): Promise<NexoResponse | undefined> {
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

  #ageMs(atMs: number): number {
    return this.#clock.now().getTime() - atMs;
  }

  #makePlace(): boolean {
    if (this.#messages.size < messagesMax) return true;
    const [oldest] = this.#messages.values();
    if (!oldest || oldest.calls > 0 || this.#ageMs(oldest.atMs) < neededMs) return false;
    return this.#messages.delete(keyOf(oldest));
  }
}

const begun = { ready: Promise.resolve(undefined), isStarted: false, isAborted: false, calls: 0 };

/** Of an earlier process: something may have been started for it. */
function restoreMessage({ plan, ...message }: StoredMessage): KnownMessage {
  return { ...message, ...(plan ? { plan } : {}), ...begun, isStarted: true };
}

function keyOf({ posId, saleId, serviceId }: MessageName): string {
  return JSON.stringify([posId, saleId, serviceId]);
}
