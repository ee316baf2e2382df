import { Outbox } from '../../src/pos/cloud/books/outbox.ts';
import { Calls } from '../../src/pos/cloud/calls.ts';
import { CloudConnection } from '../../src/pos/cloud/connection.ts';
import { dialBroker } from '../../src/pos/cloud/dial.ts';
import { Presence, will } from '../../src/pos/cloud/presence.ts';
import type { Session } from '../../src/pos/cloud/session.ts';
import type { TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import type { Change } from '../../src/payment/contracts/changes.ts';
import { type MonotonicClock, systemClock, systemRandom } from '../../src/base/ports/clock.ts';
import { currentVersion } from '../../src/observability/version.ts';

/** Of the status, so often. */
const statusMs = 60_000;
/** Its clock is wrong by up to an hour. */
const skewMs = 3_600_000;

/** The real link, calls, presence and outbox of a terminal; its journal and its payments are in memory. */
export class SimulatedTerminal {
  readonly name: string;
  /** A sale for each messageId that was asked for, in order. */
  readonly journal: Change[] = [];
  readonly #paid = new Set<string>();
  readonly #link: CloudConnection;
  readonly #outbox: Outbox;
  /** Sales that were begun twice for one messageId: none, if all is well. */
  repeats = 0;
  #drop: () => void = () => undefined;

  constructor(name: string, url: string) {
    this.name = name;
    const root = `poid/v1/${name}`;
    const clock = skewed(systemClock);
    const dial = dialBroker({
      url,
      clientId: name,
      keepAliveS: 60,
      packetBytesMax: 65_536,
      will: { ...will, topic: `${root}/${will.topic}` },
    });
    this.#link = new CloudConnection({
      dial: async (events, signal) => {
        const session: Session = await dial(events, signal);
        this.#drop = () => {
          void session.end().catch(() => undefined);
          events.onEnd();
        };
        return session;
      },
      root,
      clock,
      random: systemRandom,
    });
    const parts = { link: this.#link, clock };
    void new Calls({ link: this.#link, root, answer: async ({ body }) => this.#pay(Buffer.from(body).toString()) });
    const status = async () => ({ state: 'idle', version: currentVersion(), unsettled: this.journal.length });
    void new Presence({ ...parts, status, everyMs: statusMs, onFailure: () => undefined });
    this.#outbox = new Outbox({
      ...parts,
      journal: { stream: `life-of-${name}`, changes: async (after) => this.#changes(after) },
      describe: async ({ id }) => ({ record: recordOf(id) }),
      isIdle: () => true,
      random: systemRandom,
      onFailure: ({ message }) => process.send?.({ failure: message }),
    });
    this.#link.open();
  }

  get isUp(): boolean {
    return this.#link.state === 'connected';
  }

  /** Everything is in the sink, as it says. */
  get isSettled(): boolean {
    return (this.#outbox.state.acknowledged ?? 0) >= (this.journal.at(-1)?.seq ?? 0);
  }

  /** The network is gone for a moment. */
  flap(): void {
    this.#drop();
  }

  /** As the terminal's own acceptance does: a messageId names one sale. */
  #pay(body: string) {
    const { messageId } = JSON.parse(body) as { messageId: string };
    if (this.#paid.has(messageId)) this.repeats += 1;
    else {
      this.#paid.add(messageId);
      const seq = (this.journal.at(-1)?.seq ?? 0) + 3;
      this.journal.push({ seq, kind: 'transaction', id: messageId as TerminalTransactionId });
      this.#outbox.notice();
    }
    return { status: 200, fields: {}, body: JSON.stringify({ messageId, responseResult: 'SUCCESS' }) };
  }

  #changes(after: number) {
    const changes = this.journal.filter(({ seq }) => seq > after).slice(0, 250);
    return { changes, until: changes.at(-1)?.seq ?? after, hasMore: changes.length === 250 };
  }
}

function skewed(clock: MonotonicClock): MonotonicClock {
  const offMs = (Math.random() * 2 - 1) * skewMs;
  return { ...clock, now: () => new Date(Date.now() + offMs) };
}

/** As large as the answer of a sale is. */
function recordOf(id: string) {
  return { terminalTransactionId: id, responseResult: 'SUCCESS', transactionResult: { filler: 'x'.repeat(700) } };
}
