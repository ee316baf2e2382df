import path from 'node:path';
import { Outbox } from '../../../src/pos/cloud/books/outbox.ts';
import { CloudConnection } from '../../../src/pos/cloud/connection.ts';
import { dialBroker } from '../../../src/pos/cloud/dial.ts';
import { JournalStore } from '../../../src/journal/store.ts';
import { systemClock, systemRandom } from '../../../src/base/ports/clock.ts';
import { accepted, draft, numbered } from '../../journal/events.ts';
import type { Broker } from '../../support/broker.ts';

const ended = { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' } as const;

/** A journal with the outbox and the link of a terminal: no devices, no API. It may be started again. */
export class BookTerminal {
  readonly name: string;
  readonly store: JournalStore;
  readonly #broker: Broker;
  #parts: { link: CloudConnection; outbox: Outbox } | undefined;
  #sold: number;

  constructor(name: string, dir: string, broker: Broker) {
    this.name = name;
    this.store = new JournalStore(path.join(dir, `${name}.db`));
    this.#broker = broker;
    // An id is one in the world.
    this.#sold = 10_000 * Number(name.replace('T-', ''));
  }

  start(): void {
    const dial = dialBroker({
      url: this.#broker.url,
      clientId: this.name,
      keepAliveS: 30,
      packetBytesMax: 65_536,
      will: { topic: `poid/v1/${this.name}/status`, payload: Buffer.from('{}'), delayS: 1 },
    });
    const root = `poid/v1/${this.name}`;
    const waits = { firstMs: 50, mostMs: 200 };
    const link = new CloudConnection({ dial, root, clock: systemClock, random: systemRandom, waits });
    const outbox = new Outbox({
      link,
      journal: { stream: this.store.life.stream, changes: async (after) => this.store.changes(after) },
      describe: async ({ id, kind }) => ({ record: kind === 'transaction' ? recordOf(id) : { settlements: [] } }),
      isIdle: () => true,
      clock: systemClock,
      random: systemRandom,
      onFailure: (error) => console.error(error.message),
    });
    this.#parts = { link, outbox };
    link.open();
  }

  async stop(): Promise<void> {
    const parts = this.#parts;
    this.#parts = undefined;
    await parts?.outbox.close();
    await parts?.link.close();
  }

  sell(count: number): void {
    for (let left = count; left > 0; left--) {
      const id = numbered(++this.#sold);
      this.store.open(id, accepted(`M-${this.#sold}`));
      this.store.intend(id, draft());
      this.store.append(id, [ended]);
    }
    this.#parts?.outbox.notice();
  }

  /** Everything that the journal has, by place. */
  changes(): { id: string; seq: number }[] {
    const all: { id: string; seq: number }[] = [];
    for (let after = 0, hasMore = true; hasMore; ) {
      const slice = this.store.changes(after);
      all.push(...slice.changes.map(({ id, seq }) => ({ id, seq })));
      ({ until: after, hasMore } = slice);
    }
    return all;
  }
}

/** As the list of transactions tells a sale of 30.10 HKD. */
function recordOf(id: string) {
  const createTime = '2026-01-01T17:30:00+0000';
  const common = { acquirerId: 'EDC', createTime, currency: 'HKD', totalAmount: 30.1, paymentMethod: 'VISA' };
  return {
    responseResult: 'SUCCESS',
    terminalTransactionId: id,
    transactionResult: { ...common, tranStatus: 'APPROVED', tranType: 'SALE', originalTerminalTransactionId: '' },
  };
}
