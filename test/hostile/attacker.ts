import os from 'node:os';
import { type Attack, attacks, type Front } from './attack.ts';
import { HostileConnection } from './hostile-connection.ts';

/**
 * A process that attacks, loopback only. It takes messages: an Order, then 'stop' or 'drain', and answers each with one:
 * 'under way', then a Told. In the shop it runs on another machine's processor, so here it gives way to the terminal.
 */
os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);

export interface Order {
  readonly front: Front;
  readonly what: string;
  readonly apiPort: number;
  readonly screenPort: number;
}

/** What became of the connections of one attack. */
export interface Report {
  readonly connected: number;
  readonly statuses: readonly number[];
  /** Hung up by the attacker: the terminal had not closed them yet. */
  readonly left: number;
}

/** Fewer than wait to be accepted: one that the kernel drops there would never hear of its end. */
const connectingMax = 200;
/** So many connections are an attack; fewer where it has no more. */
const underWayCount = 200;
/** Of one attack, in all. */
const connectionsMax = 50_000;
/** An attack that nobody ends. */
const longestMs = 30_000;
/** How long the terminal may take to close what it has (its time-outs are 1.5 s here), on a busy machine. */
const drainMs = 15_000;

/** Each attack comes from addresses that none has used: from one that is kept out already it would be none. */
let addressesUsed = 0;

class Assault {
  readonly #attack: Attack;
  readonly #port: number;
  readonly #open = new Set<HostileConnection>();
  readonly #statuses = new Set<number>();
  readonly #begunAt = performance.now();
  readonly #firstAddress = addressesUsed;
  readonly #underWay = Promise.withResolvers<void>();
  #drained: (() => void) | undefined;
  #connecting = 0;
  #begun = 0;
  #connected = 0;
  #over = false;
  #tick: NodeJS.Timeout | undefined;

  constructor(attack: Attack, { apiPort, screenPort }: Order) {
    this.#attack = attack;
    this.#port = attack.at === 'screen' ? screenPort : apiPort;
    addressesUsed += attack.addresses ?? 1;
    if (attack.perSecond !== undefined) this.#tick = setInterval(() => this.#refill(), 5);
    this.#refill();
  }

  get underWay(): Promise<void> {
    return this.#underWay.promise;
  }

  /** No new ones, and an end to those that are there: at once, or when the terminal has closed them. */
  async end(how: 'stop' | 'drain'): Promise<Report> {
    this.#over = true;
    clearInterval(this.#tick);
    const drained = new Promise<void>((resolve) => (this.#drained = resolve));
    if (this.#open.size === 0) this.#drained?.();
    let left = 0;
    const hangUp = () => {
      left = this.#open.size;
      for (const connection of this.#open) connection.hangUp();
    };
    for (const connection of this.#open) connection.rest();
    const timer = how === 'drain' ? setTimeout(hangUp, drainMs) : undefined;
    if (how === 'stop') hangUp();
    await drained;
    clearTimeout(timer);
    return { connected: this.#connected, statuses: [...this.#statuses], left };
  }

  #refill(): void {
    const { atOnce } = this.#attack;
    while (
      !this.#over &&
      this.#open.size < atOnce &&
      this.#begun < Math.min(connectionsMax, this.#allowed()) &&
      this.#connecting < connectingMax
    ) {
      this.#connect();
    }
  }

  #allowed(): number {
    const { perSecond } = this.#attack;
    const elapsedMs = performance.now() - this.#begunAt;
    if (elapsedMs > longestMs) return 0;
    return perSecond === undefined ? Infinity : (elapsedMs * perSecond) / 1_000;
  }

  #connect(): void {
    const { conduct, addresses = 1, atOnce, perSecond } = this.#attack;
    const from = address(this.#firstAddress + (this.#begun++ % addresses));
    this.#connecting++;
    let isConnecting = true;
    const settled = () => {
      if (isConnecting) this.#connecting--;
      isConnecting = false;
    };
    const connection: HostileConnection = new HostileConnection({ port: this.#port, from }, conduct, {
      onConnected: () => {
        settled();
        const enough = Math.min(underWayCount, atOnce, perSecond === undefined ? Infinity : perSecond / 10);
        if (++this.#connected >= enough) this.#underWay.resolve();
        this.#refill();
      },
      onStatus: (status) => this.#statuses.add(status),
      onClosed: () => {
        settled();
        this.#open.delete(connection);
        if (this.#over && this.#open.size === 0) this.#drained?.();
        // Not at once: its caller may be at work on the one that has just closed.
        setImmediate(() => this.#refill());
      },
    });
    this.#open.add(connection);
  }
}

/** 127.1.0.1 and so on: all of them are this machine's. */
function address(number: number): string {
  return `127.${1 + Math.floor(number / 62_500)}.${Math.floor(number / 250) % 250}.${1 + (number % 250)}`;
}

let assault: Assault | undefined;

async function obey(order: Order | 'stop' | 'drain'): Promise<void> {
  if (typeof order === 'string') {
    process.send?.(await assault?.end(order));
    return;
  }
  const attack = attacks[order.front].find(({ what }) => what === order.what);
  if (!attack) throw new Error(`there is no attack '${order.what}'`);
  assault = new Assault(attack, order);
  await assault.underWay;
  process.send?.('under way');
}

process.on('message', (order: Order | 'stop' | 'drain') => void obey(order));
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
