import * as z from 'zod';
import { inState } from '../../base/domain/written-files.ts';
import { readSecret, writeSecret } from '../../base/secrets/secret-file.ts';
import { JsonNumber, type PaymentFields } from '../contracts/pos-calls.ts';

const identifier = z.string().min(1).max(64);

/** A trade or a refund that was begun, and of which not everything is done yet. */
const openCall = z.strictObject({
  posId: identifier,
  messageId: identifier,
  call: z.enum(['trade', 'cancel']),
  /** Of the request: the same again may be a repeat. */
  fingerprint: z.string().max(64),
  /** The fields of the payment, amounts as their digits: the same again joins it, or gets its answer. */
  fields: z.record(z.string(), z.string()),
  /** Of a void: the amount of the refund that it becomes if it is not possible. */
  left: z.string().max(32).optional(),
  /** The caller has its answer. */
  isAnswered: z.boolean(),
  /** It has ended, and its notifications are queued. */
  isDecided: z.boolean(),
});
export type OpenCall = z.infer<typeof openCall>;

/** Fields that the API takes as numbers. */
const numbers: readonly string[] = ['requestAmount', 'collectTimeoutSeconds'];

/** The request of a call, as the API takes it. The same call always has the same. */
export function paymentFields({ posId, messageId, fields }: OpenCall): PaymentFields {
  const typed = Object.entries(fields).map(([name, text]) => [
    name,
    numbers.includes(name) ? new JsonNumber(text) : text,
  ]);
  return { ...Object.fromEntries(typed), posId, messageId } as PaymentFields;
}

const queuedNotice = z.strictObject({
  /** Names the call. */
  messageId: identifier,
  posId: identifier,
  body: z.string().max(4_096),
  /** Attempts that have failed with a connection, and in a row without one. */
  failed: z.number().int().min(0),
  unreached: z.number().int().min(0),
  /** ISO 8601. */
  dueAt: z.string(),
});
export type QueuedNotice = z.infer<typeof queuedNotice>;

const stored = z.strictObject({
  version: z.literal(1),
  calls: z.array(openCall),
  notices: z.array(queuedNotice),
});

/** The oldest are given up beyond these. A call that nobody repeats, and a notice that nobody takes, would stay. */
export const openCallsMax = 256;
export const noticesMax = 512;

/**
 * What must survive a restart: which calls may be repeated, and which notifications are still to be sent. Changes are
 * visible at once; `saved` resolves once they are on the disk.
 */
export class EcrLedger {
  readonly #file: string;
  readonly #onFailure: (error: Error) => void;
  #calls: readonly OpenCall[] = [];
  #notices: readonly QueuedNotice[] = [];
  #version = 0;
  #savedVersion = 0;
  #saving: Promise<void> | undefined;

  constructor(stateDir: string, onFailure: (error: Error) => void) {
    this.#file = inState(stateDir, 'ecr.json');
    this.#onFailure = onFailure;
  }

  /** A file that can't be read is left out: the journal has every payment. */
  async load(): Promise<void> {
    try {
      const text = await readSecret(this.#file);
      if (text === undefined) return;
      const { calls, notices } = stored.parse(JSON.parse(text));
      this.#calls = calls;
      this.#notices = notices;
    } catch {
      // A fault of zod or of JSON could quote what is in the file.
      this.#onFailure(new Error(`${this.#file} can't be read: repeats and notifications from before are not known`));
    }
  }

  get calls(): readonly OpenCall[] {
    return this.#calls;
  }

  get notices(): readonly QueuedNotice[] {
    return this.#notices;
  }

  /**
   * An earlier call with the same request, of which this one is a repeat: it runs, its outcome is open, or its caller
   * may not have the answer.
   */
  findRepeat(posId: string, fingerprint: string): OpenCall | undefined {
    return this.#calls.findLast((each) => each.posId === posId && each.fingerprint === fingerprint);
  }

  find(messageId: string): OpenCall | undefined {
    return this.#calls.find((each) => each.messageId === messageId);
  }

  add(call: OpenCall): void {
    const kept = this.#calls.filter(({ messageId }) => messageId !== call.messageId);
    // One that is not decided yet may be running.
    const excess = kept.length - openCallsMax + 1;
    const given = excess > 0 ? kept.filter(({ isDecided }) => isDecided).slice(0, excess) : [];
    this.#change({ calls: [...kept.filter((each) => !given.includes(each)), call] });
  }

  /** Forgets a call that has started nothing. */
  drop(messageId: string): void {
    this.#change({ calls: this.#calls.filter((each) => each.messageId !== messageId) });
  }

  /** Its caller, or the server that is told, knows the outcome. */
  noteAnswer(messageId: string): void {
    this.#mark(messageId, { isAnswered: true });
  }

  /** Its outcome is known: it is one change with the notifications that follow from it. */
  decide(messageId: string, notices: readonly QueuedNotice[]): void {
    const all = [...this.#notices, ...notices];
    const excess = Math.max(0, all.length - noticesMax);
    if (excess > 0) this.#onFailure(new Error(`${excess} notifications are given up: too many wait`));
    this.#change({ notices: all.slice(excess) });
    this.#mark(messageId, { isDecided: true });
  }

  /** Replaces a notice; removes it if it has no successor. */
  replaceNotice(notice: QueuedNotice, next?: QueuedNotice): void {
    const notices = this.#notices.flatMap((each) => (each === notice ? (next ?? []) : each));
    this.#change({ notices });
  }

  /** Resolves once everything is on the disk. Rejects with the system's error. */
  async flush(): Promise<void> {
    while (this.#savedVersion < this.#version) {
      this.#saving ??= this.#save().finally(() => (this.#saving = undefined));
      await this.#saving;
    }
  }

  /** The same, where nothing depends on it: a failure is reported. */
  async tryFlush(): Promise<void> {
    await this.flush().catch((error: Error) => this.#onFailure(error));
  }

  async #save(): Promise<void> {
    const version = this.#version;
    const text = JSON.stringify({ version: 1, calls: this.#calls, notices: this.#notices });
    await writeSecret(this.#file, text);
    this.#savedVersion = version;
  }

  #mark(messageId: string, marks: Partial<Pick<OpenCall, 'isAnswered' | 'isDecided'>>): void {
    if (!this.find(messageId)) return;
    const calls = this.#calls
      .map((each) => (each.messageId === messageId ? { ...each, ...marks } : each))
      .filter(({ isAnswered, isDecided }) => !(isAnswered && isDecided));
    this.#change({ calls });
  }

  #change(change: { readonly calls?: readonly OpenCall[]; readonly notices?: readonly QueuedNotice[] }): void {
    this.#calls = change.calls ?? this.#calls;
    this.#notices = change.notices ?? this.#notices;
    this.#version += 1;
  }
}
