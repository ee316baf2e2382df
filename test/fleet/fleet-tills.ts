import { connectAsync, type MqttClient } from 'mqtt';

/** An answer that does not come in this time: the same request again. */
const patienceMs = 5_000;

/** Tills in the cloud: so many payments a second, each at some terminal, each repeated until it is answered. */
export class FleetTills {
  readonly #client: MqttClient;
  readonly #terminals: number;
  readonly #open = new Map<string, { terminal: string; begunMs: number; sentMs: number }>();
  readonly latenciesMs: number[] = [];
  /** By messageId, the terminal. */
  readonly answered = new Map<string, string>();
  #begun = 0;
  #timers: NodeJS.Timeout[] = [];

  private constructor(client: MqttClient, terminals: number) {
    this.#client = client;
    this.#terminals = terminals;
  }

  static async open(port: number, terminals: number): Promise<FleetTills> {
    const client = await connectAsync({ host: '127.0.0.1', port, protocolVersion: 5, reconnectPeriod: 500 });
    client.on('error', () => undefined);
    const tills = new FleetTills(client, terminals);
    client.on('message', (_topic, payload) => tills.#hear(payload));
    await client.subscribeAsync('poid/v1/+/answer/till', { qos: 1 });
    return tills;
  }

  begin(perSecond: number): void {
    this.#timers = [setInterval(() => this.#pay(), 1_000 / perSecond), setInterval(() => this.#repeat(), 500)];
  }

  /** No new ones; those that were begun are repeated until they are answered. */
  pause(): void {
    clearInterval(this.#timers[0]);
  }

  get waiting(): number {
    return this.#open.size;
  }

  async close(): Promise<void> {
    for (const each of this.#timers) clearInterval(each);
    await this.#client.endAsync(true);
  }

  #pay(): void {
    const terminal = `T-${Math.floor(Math.random() * this.#terminals)}`;
    const messageId = `M-${++this.#begun}`;
    this.#open.set(messageId, { terminal, begunMs: performance.now(), sentMs: performance.now() });
    this.#send(terminal, messageId);
  }

  #repeat(): void {
    for (const [messageId, one] of this.#open) {
      if (performance.now() - one.sentMs < patienceMs) continue;
      one.sentMs = performance.now();
      this.#send(one.terminal, messageId);
    }
  }

  #send(terminal: string, messageId: string): void {
    // The package would keep it without end: what is not sent now is repeated.
    if (!this.#client.connected) return;
    const properties = {
      responseTopic: `poid/v1/${terminal}/answer/till`,
      correlationData: Buffer.from(messageId),
      messageExpiryInterval: 30,
      userProperties: { method: 'POST', target: '/sp/v1/payment' },
    };
    this.#client.publish(`poid/v1/${terminal}/call`, JSON.stringify({ messageId }), { qos: 1, properties });
  }

  #hear(payload: Buffer): void {
    const { messageId } = JSON.parse(payload.toString()) as { messageId: string };
    const one = this.#open.get(messageId);
    if (!one) return;
    this.#open.delete(messageId);
    this.latenciesMs.push(performance.now() - one.begunMs);
    this.answered.set(messageId, one.terminal);
  }
}
