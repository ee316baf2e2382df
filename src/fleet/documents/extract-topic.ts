import type { Clock } from '../../base/ports/clock.ts';
import type { CloudLink, CloudMessage } from '../../payment/contracts/cloud-link.ts';
import { type ExtractRequest, type Recipient, readDocument } from './documents.ts';

/** A part of an extract: the rest of a packet is for its head. Smaller ones go to a broker that takes less. */
const partBytesMax = 49_152;
const partBytesLeast = 256;
/** A request may not be good for longer than this: what was answered is known for so long. */
const lifeMsMost = 3_600_000;

export interface ExtractParts {
  readonly link: CloudLink;
  readonly recipient: Recipient;
  /** Topic of answers, whole: P/{t}/extract/answer. */
  readonly answers: string;
  readonly clock: Clock;
  /** Lines without a line feed, the newest last, masked. */
  readonly lines: (request: ExtractRequest) => AsyncIterable<string>;
  readonly onReport: (state: 'refused' | 'extract', reason: string) => void;
}

/** The topic `extract`: sends parts of log and journal on a signed request of the fleet. One at a time. */
export class ExtractTopic {
  readonly #parts: ExtractParts;
  /** With the timer that forgets it. */
  readonly #answered = new Map<string, unknown>();
  readonly #stop: () => void;
  #work: Promise<void> | undefined;

  constructor(parts: ExtractParts) {
    this.#parts = parts;
    this.#stop = parts.link.subscribe('extract', (message) => this.#hear(message), { skipsRetained: true });
  }

  close(): Promise<void> {
    this.#stop();
    for (const timer of this.#answered.values()) this.#parts.clock.clearTimeout(timer);
    return this.#work ?? Promise.resolve();
  }

  #hear(message: CloudMessage): void {
    const { onReport, clock } = this.#parts;
    const request = this.#read(message);
    if (typeof request === 'string') return onReport('refused', request);
    const { id, notAfter } = request;
    const left = new Date(notAfter).getTime() - clock.now().getTime();
    this.#answered.set(
      id,
      clock.setTimeout(() => this.#answered.delete(id), left),
    );
    onReport('extract', `${request.what} ${id}`);
    this.#work = this.#send(request, message)
      .catch((error: Error) => onReport('refused', error.message))
      .finally(() => {
        this.#work = undefined;
      });
  }

  #read(message: CloudMessage): ExtractRequest | string {
    const { recipient, clock, answers } = this.#parts;
    const request = readDocument(message, 'extract', recipient);
    if (typeof request === 'string') return request;
    const left = new Date(request.notAfter).getTime() - clock.now().getTime();
    if (left <= 0 || left > lifeMsMost) return 'it is too late, or good for more than an hour';
    if (this.#answered.has(request.id)) return 'it was answered';
    if (this.#work) return 'another extract is on its way';
    const topic = message.responseTopic ?? '';
    const own = topic.startsWith(`${answers}/`) ? topic.slice(answers.length + 1) : '';
    return /^[A-Za-z0-9-]{1,64}$/.test(own) ? request : 'its answer would go to another’s topic';
  }

  /** The newest lines that fit; the first part says how many were left out. */
  async #send(request: ExtractRequest, { responseTopic = '', correlation }: CloudMessage): Promise<void> {
    const { link, lines, recipient } = this.#parts;
    let [kept, size, leftOut]: [string[], number, number] = [[], 0, 0];
    for await (const line of lines(request)) {
      kept.push(line);
      size += Buffer.byteLength(line) + 1;
      while (size > request.bytesMax) {
        size -= Buffer.byteLength(kept.shift() ?? '') + 1;
        leftOut += 1;
      }
    }
    const text = Buffer.from(kept.map((line) => `${line}\n`).join(''));
    const { answers } = this.#parts;
    const topic = `extract/answer/${responseTopic.slice(answers.length + 1)}`;
    const messageOf = (part: number, partBytes: number, number = part + 1): CloudMessage => {
      const count = Math.max(1, Math.ceil(text.length / partBytes));
      const numbers = { part: `${number}`, parts: `${count}`, 'left-out': `${leftOut}` };
      const properties = { id: request.id, terminal: recipient.terminal, ...numbers };
      const payload = text.subarray(part * partBytes, (part + 1) * partBytes);
      return { payload, qos: 1, ...(correlation ? { correlation } : {}), properties };
    };
    let partBytes = partBytesMax;
    // The first part is as long as any, and no number is longer than the last one.
    while (partBytes > partBytesLeast && !link.fits(topic, messageOf(0, partBytes, text.length))) partBytes /= 2;
    for (let part = 0; part * partBytes < Math.max(1, text.length); part++)
      await link.publish(topic, messageOf(part, partBytes));
  }
}
