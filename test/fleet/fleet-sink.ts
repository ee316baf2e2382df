import { connectAsync, type MqttClient } from 'mqtt';

interface BookMessage {
  readonly stream: string;
  readonly seq: number;
  readonly after: number;
  readonly id: string;
}

/** The rules of the example's sink, in memory: each change once and in order, acknowledged when it is kept. */
export class FleetSink {
  readonly kept = new Map<string, string[]>();
  readonly #last = new Map<string, number>();
  readonly #client: MqttClient;
  /** Messages that came, those that it had already, and those before which one was missing. */
  readonly counts = { messages: 0, again: 0, gaps: 0, statuses: 0 };

  private constructor(client: MqttClient) {
    this.#client = client;
  }

  static async open(port: number): Promise<FleetSink> {
    const session = { clientId: 'books', clean: false, properties: { sessionExpiryInterval: 3_600 } };
    const client = await connectAsync({
      host: '127.0.0.1',
      port,
      protocolVersion: 5,
      reconnectPeriod: 500,
      ...session,
    });
    client.on('error', () => undefined);
    const sink = new FleetSink(client);
    client.on('message', (topic, payload) => sink.#take(topic, payload));
    await client.subscribeAsync(['poid/v1/+/books', 'poid/v1/+/status'], { qos: 1 });
    return sink;
  }

  #take(topic: string, payload: Buffer): void {
    const [, , terminal = '', what] = topic.split('/');
    if (what === 'status') {
      this.counts.statuses += 1;
      return;
    }
    const { stream, seq, after, id } = JSON.parse(payload.toString()) as BookMessage;
    const last = this.#last.get(terminal) ?? 0;
    this.counts.messages += 1;
    const again = after > last;
    if (again) this.counts.gaps += 1;
    else if (seq <= last) this.counts.again += 1;
    else {
      this.#last.set(terminal, seq);
      this.kept.set(terminal, [...(this.kept.get(terminal) ?? []), id]);
    }
    const acknowledgement = { stream, seq: this.#last.get(terminal) ?? 0, ...(again ? { again } : {}) };
    const options = { qos: 1, retain: true } as const;
    this.#client.publish(`poid/v1/${terminal}/books/ack`, JSON.stringify(acknowledgement), options);
  }

  async close(): Promise<void> {
    await this.#client.endAsync(true);
  }
}
