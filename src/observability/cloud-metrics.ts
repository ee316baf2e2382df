import { Gauge, type Registry } from 'prom-client';

/** The link to a broker, and the transactions that wait for the chain's sink behind it. */
export interface MeasuredCloud {
  readonly state: 'connected' | 'disconnected';
  /** Undefined while the sink's position is unknown. */
  readonly unacknowledged: { readonly count: number; readonly ageS: number } | undefined;
}

/** The cloud link as gauges, which `measure` sets. Absent if there is none, or if it is unknown. */
export class CloudMetrics {
  readonly #connected: Gauge;
  readonly #count: Gauge;
  readonly #age: Gauge;

  constructor(registry: Registry) {
    const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
    this.#connected = gauge('poid_cloud_connected', '1 while the terminal is connected to its message broker');
    this.#count = gauge(
      'poid_cloud_unacknowledged',
      'Transactions and settlements that the sink of the books has not acknowledged, 10,000 at most',
    );
    this.#age = gauge('poid_cloud_unacknowledged_age_seconds', 'How long the oldest of them waits; 0 without one');
    this.measure(undefined);
  }

  measure(cloud: MeasuredCloud | undefined): void {
    for (const each of [this.#connected, this.#count, this.#age]) each.remove();
    if (!cloud) return;
    this.#connected.set(Number(cloud.state === 'connected'));
    if (!cloud.unacknowledged) return;
    this.#count.set(cloud.unacknowledged.count);
    this.#age.set(cloud.unacknowledged.ageS);
  }
}
