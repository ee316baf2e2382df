import type { CloudLink, CloudMessage } from '../../src/payment/contracts/cloud-link.ts';

/** A link whose broker is the test. */
export class PlayedLink implements CloudLink {
  readonly published: { readonly topic: string; readonly message: CloudMessage }[] = [];
  readonly #hear = new Map<string, (message: CloudMessage) => void>();
  #waiting: (() => void)[] = [];

  async publish(topic: string, message: CloudMessage): Promise<void> {
    this.published.push({ topic, message });
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  fits(): boolean {
    return true;
  }

  subscribe(topic: string, hear: (message: CloudMessage) => void): () => void {
    this.#hear.set(topic, hear);
    return () => this.#hear.delete(topic);
  }

  watch(notify: (isUp: boolean) => void): () => void {
    notify(true);
    return () => undefined;
  }

  send(topic: string, message: CloudMessage): void {
    this.#hear.get(topic)?.(message);
  }

  /** Resolves with the next message that is published. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The last message of a topic, as JSON. */
  last(topic: string): Record<string, unknown> {
    const found = this.published.findLast((each) => each.topic === topic);
    return JSON.parse(Buffer.from(found?.message.payload ?? '{}').toString()) as Record<string, unknown>;
  }
}
