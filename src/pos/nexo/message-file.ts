import * as z from 'zod';
import { appendSecret, readSecret, writeSecret } from '../../base/secrets/secret-file.ts';

/** What a Reversal is carried out as: decided once, so that its repeat is the same request. */
const plan = z.object({
  transactionType: z.enum(['VOID', 'REFUND']),
  /** Digits in major units; absent for a void. */
  amount: z.string().optional(),
  currency: z.string().optional(),
});
export type ReversalPlan = z.infer<typeof plan>;

const stored = z.object({
  posId: z.string(),
  saleId: z.string(),
  serviceId: z.string(),
  category: z.enum(['Payment', 'Reversal']),
  digest: z.string(),
  messageId: z.string(),
  /** SaleTransactionID and its time, where it has them. */
  transaction: z.array(z.string()).max(3),
  atMs: z.number(),
  plan: plan.optional(),
});
/** A message that can move money. */
export type StoredMessage = z.infer<typeof stored>;

/** A line in place of lines that could not be read: until then a message may have come that is not known. */
const gap = z.object({ gapUntilMs: z.number() });

export interface ReadMessages {
  readonly messages: readonly StoredMessage[];
  readonly gapUntilMs: number;
}

/**
 * A line of JSON for each message, on disk before anything is started for it. The end of the file is torn where the
 * power was cut while a line was written: nothing was started for that one.
 */
export class MessageFile {
  readonly #file: string;
  #lines = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** Lines in the file, also of messages that a later line replaces. */
  get lines(): number {
    return this.#lines;
  }

  /** `lostUntilMs`: for how long messages of lines that can't be read would have been known. */
  async read(lostUntilMs: number): Promise<ReadMessages> {
    const text = (await readSecret(this.#file)) ?? '';
    const lines = text.split('\n');
    // What follows the last line end is torn, or empty.
    const torn = lines.pop();
    const messages: StoredMessage[] = [];
    let gapUntilMs = 0;
    for (const line of lines) {
      const value = parse(line);
      const message = stored.safeParse(value);
      if (message.success) messages.push(message.data);
      else gapUntilMs = Math.max(gapUntilMs, gap.safeParse(value).data?.gapUntilMs ?? lostUntilMs);
    }
    this.#lines = lines.length;
    if (torn !== '' || gapUntilMs > 0) await this.replace(messages, gapUntilMs);
    return { messages, gapUntilMs };
  }

  /** Resolves once it survives a power cut. */
  append(message: StoredMessage): Promise<void> {
    return this.#next(async () => {
      await appendSecret(this.#file, lineOf(message));
      this.#lines += 1;
    });
  }

  /** The same for all messages, in place of those of the file. */
  replace(messages: readonly StoredMessage[], gapUntilMs: number): Promise<void> {
    return this.#next(async () => {
      const known = gapUntilMs > 0 ? `${JSON.stringify({ gapUntilMs })}\n` : '';
      await writeSecret(this.#file, known + messages.map(lineOf).join(''));
      this.#lines = messages.length;
    });
  }

  /** One after the other: a line that is added while the file is replaced would be lost. */
  #next(write: () => Promise<void>): Promise<void> {
    const written = this.#turn.then(write);
    this.#turn = written.catch(() => undefined);
    return written;
  }
}

function lineOf({ plan: own, ...message }: StoredMessage): string {
  const { posId, saleId, serviceId, category, digest, messageId, transaction, atMs } = message;
  const kept = {
    posId,
    saleId,
    serviceId,
    category,
    digest,
    messageId,
    transaction,
    atMs,
    ...(own ? { plan: own } : {}),
  };
  return `${JSON.stringify(kept)}\n`;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
