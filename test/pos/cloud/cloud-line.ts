import { type CloudLink, type CloudMessage, MessageTooLong } from '../../../src/payment/contracts/cloud-link.ts';

interface Sent {
  readonly topic: string;
  readonly payload: Uint8Array;
}

/** A link to nobody: the test connects it, breaks it, and says what arrives. */
export class CloudLine implements CloudLink {
  readonly sent: Sent[] = [];
  #isUp = false;
  readonly #watchers = new Set<(isUp: boolean) => void>();
  readonly #hearing = new Map<string, (message: CloudMessage) => void>();
  onSent: (sent: Sent) => void = () => undefined;

  async publish(topic: string, { payload }: CloudMessage): Promise<void> {
    if (!this.#isUp) throw new Error('not connected');
    if (payload.length > this.bytesMax) throw new MessageTooLong(payload.length, this.bytesMax);
    const sent = { topic, payload };
    this.sent.push(sent);
    this.onSent(sent);
  }

  bytesMax = Number.POSITIVE_INFINITY;

  fits(_topic: string, { payload }: CloudMessage): boolean {
    return payload.length <= this.bytesMax;
  }

  subscribe(topic: string, hear: (message: CloudMessage) => void): () => void {
    this.#hearing.set(topic, hear);
    return () => this.#hearing.delete(topic);
  }

  watch(notify: (isUp: boolean) => void): () => void {
    this.#watchers.add(notify);
    notify(this.#isUp);
    return () => this.#watchers.delete(notify);
  }

  set(isUp: boolean): void {
    this.#isUp = isUp;
    for (const notify of this.#watchers) notify(isUp);
  }

  arrive(topic: string, content: unknown): void {
    this.#hearing.get(topic)?.({ payload: Buffer.from(JSON.stringify(content)), qos: 1 });
  }
}
