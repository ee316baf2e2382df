import { acquirerId } from '../../src/domain/identifiers.ts';
import type {
  WalletApproved,
  WalletClosing,
  WalletFinding,
  WalletHost,
  WalletOrder,
  WalletOutcome,
  WalletPresentation,
} from '../../src/ports/wallet-host.ts';
import type { Dice } from './dice.ts';
import type { Generation } from './generation.ts';
import type { Log } from './log.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Money or an order for it, as the wallet's service has it. */
export interface WalletEntry {
  readonly tradeNo: string;
  readonly amountMinor: bigint;
  readonly number: string;
  /** Of a refund: the payment that it gives back. */
  readonly of?: WalletEntry;
  state: 'waiting' | 'paid' | 'declined' | 'closed';
}

const replyTimeoutMs = 15_000;
export const walletId = acquirerId('QR');

/** A wallet's service with books, reached call by call: each on its own, in whatever order the network has. */
export class WalletService {
  readonly entries = new Map<string, WalletEntry>();
  /** Percent of calls that come to trouble on the way. */
  trouble = 0;
  down = false;
  /** Closing what never came is remembered: it can't be paid when it comes. */
  remembersClosing = true;
  declines = 0;
  readonly #time: VirtualTime;
  readonly #dice: Dice;
  readonly #log: Log;
  /** Called for each order that can move money, as it leaves the terminal. */
  readonly #onLeaving: (call: string, tradeNo: string) => void;
  /** Called where a code can be paid. */
  onWaiting: (entry: WalletEntry) => void = () => undefined;

  constructor(time: VirtualTime, dice: Dice, log: Log, onLeaving: (call: string, tradeNo: string) => void) {
    this.#time = time;
    this.#dice = dice;
    this.#log = log;
    this.#onLeaving = onLeaving;
  }

  /** The service as one life of the terminal reaches it. */
  host(generation: Generation): WalletHost {
    const ask = <Answer>(
      call: string,
      { tradeNo }: WalletOrder,
      carriedOut: () => Answer,
      silence: Answer,
      down = silence,
    ) => this.#asked(generation, call, tradeNo, carriedOut, silence, down);
    const unknown = { kind: 'unknown', reason: 'no-answer' } as const;
    const notSent = { kind: 'notSent', reason: 'host-down' } as const;
    return {
      id: walletId,
      mid: '',
      tid: '00000002',
      link: 'up',
      scanned: ['ALIPAY', 'WECHAT', 'UPI_QR'],
      presented: ['ALIPAY', 'WECHAT', 'FPS'],
      pay: (order) => ask<WalletOutcome>('pay', order, () => this.#pay(order), unknown, notSent),
      present: (order) => ask<WalletPresentation>('present', order, () => this.#present(order), unknown, notSent),
      enquire: (order) => ask<WalletFinding>('enquire', order, () => this.#finding(order), { kind: 'unknown' }),
      close: (order) => ask<WalletClosing>('close', order, () => this.#close(order), { kind: 'unanswered' }),
      refund: (order) =>
        ask<WalletOutcome>('refund', order, () => this.#refund(order, order.originalNumber), unknown, notSent),
      reverseRefund: (order) =>
        ask<WalletClosing>('reverse refund', order, () => this.#reverseRefund(order), { kind: 'unanswered' }),
      stop: async () => undefined,
    };
  }

  /** The customer pays the code on the phone. */
  paid(entry: WalletEntry): void {
    if (entry.state !== 'waiting') return;
    entry.state = 'paid';
    this.#log.push(`QR: ${entry.tradeNo.slice(10)} is paid`);
  }

  /** What was given back of a payment and stands. */
  givenBackMinor(entry: WalletEntry): bigint {
    return [...this.entries.values()]
      .filter(({ of, state }) => of === entry && state === 'paid')
      .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  }

  #asked<Answer>(
    generation: Generation,
    call: string,
    tradeNo: string,
    carriedOut: () => Answer,
    silence: Answer,
    down: Answer,
  ): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    generation.does(`QR ${call}`, () => {
      this.#log.push(`QR sent: ${call} ${tradeNo.slice(10)}`);
      if (call !== 'enquire') this.#onLeaving(call, tradeNo);
      const fate = this.#fate();
      if (this.down || fate === 'refused') {
        generation.hears(this.#dice.between(1, 50), () => resolve(down));
        return;
      }
      const timer = generation.hears(replyTimeoutMs, () => resolve(silence));
      if (fate === 'request lost') return;
      const takesMs = fate === 'late' ? this.#dice.between(15_000, 60_000) : this.#dice.between(5, 400);
      this.#time.in(takesMs, () => {
        if (this.down) return;
        const answer = carriedOut();
        this.#log.push(`QR service: ${call} ${tradeNo.slice(10)} -> ${(answer as { kind: string }).kind}`);
        if (fate === 'answer lost') return;
        generation.hears(
          fate === 'answer late' ? this.#dice.between(10_000, 60_000) : this.#dice.between(5, 200),
          () => {
            this.#time.drop(timer);
            resolve(answer);
          },
        );
      });
    });
    return promise;
  }

  #fate(): string {
    if (!this.#dice.odds(this.trouble)) return 'well';
    const fate = this.#dice.of(['refused', 'request lost', 'answer lost', 'late', 'answer late']);
    this.#log.counted(`wallet ${fate}`);
    return fate;
  }

  #pay({ tradeNo, amount }: WalletOrder): WalletOutcome {
    const known = this.entries.get(tradeNo);
    if (known) return known.state === 'paid' ? approved(known) : { kind: 'declined', responseCode: '1142' };
    if (this.#dice.odds(this.declines)) {
      this.#enter(tradeNo, amount.minor, 'declined');
      return { kind: 'declined', responseCode: '1201' };
    }
    const asks = this.#dice.odds(30);
    const entry = this.#enter(tradeNo, amount.minor, asks ? 'waiting' : 'paid');
    if (!asks) return approved(entry);
    this.onWaiting(entry);
    return { kind: 'waiting', responseCode: '1145' };
  }

  #present({ tradeNo, amount }: WalletOrder): WalletPresentation {
    const known = this.entries.get(tradeNo);
    if (known && known.state !== 'waiting') return { kind: 'declined', responseCode: '1142' };
    const entry = known ?? this.#enter(tradeNo, amount.minor, 'waiting');
    this.onWaiting(entry);
    return { kind: 'code', payload: `https://qr.example/${tradeNo}` };
  }

  #finding({ tradeNo }: WalletOrder): WalletFinding {
    const entry = this.entries.get(tradeNo);
    if (!entry) return { kind: 'notFound' };
    switch (entry.state) {
      case 'paid':
        if (!entry.of && this.givenBackMinor(entry) >= entry.amountMinor) return { kind: 'refunded' };
        return approved(entry);
      case 'declined':
        return { kind: 'declined', responseCode: '1143' };
      case 'waiting':
      case 'closed':
        return { kind: entry.state };
      default:
        return entry.state satisfies never;
    }
  }

  #close({ tradeNo, amount }: WalletOrder): WalletClosing {
    const entry = this.entries.get(tradeNo);
    if (!entry) {
      if (!this.remembersClosing) return { kind: 'refused', responseCode: '1143' };
      this.#enter(tradeNo, amount.minor, 'closed');
      return { kind: 'closed' };
    }
    if (entry.state === 'waiting') entry.state = 'closed';
    return entry.state === 'closed' ? { kind: 'closed' } : { kind: 'refused', responseCode: '1264' };
  }

  #refund({ tradeNo, amount }: WalletOrder, originalNumber: string): WalletOutcome {
    const known = this.entries.get(tradeNo);
    if (known) return known.state === 'paid' ? approved(known) : { kind: 'declined', responseCode: '1142' };
    const original = [...this.entries.values()].find(({ number }) => number === originalNumber);
    if (original?.state !== 'paid') return { kind: 'declined', responseCode: '1124' };
    if (this.givenBackMinor(original) + amount.minor > original.amountMinor) {
      return { kind: 'declined', responseCode: '1269' };
    }
    return approved(this.#enter(tradeNo, amount.minor, 'paid', original));
  }

  #reverseRefund({ tradeNo, amount }: WalletOrder): WalletClosing {
    const entry = this.entries.get(tradeNo);
    if (!entry && this.remembersClosing) this.#enter(tradeNo, amount.minor, 'closed');
    if (entry?.of && entry.state === 'paid') entry.state = 'closed';
    return entry?.state === 'closed' ? { kind: 'closed' } : { kind: 'refused', responseCode: '1264' };
  }

  #enter(tradeNo: string, amountMinor: bigint, state: WalletEntry['state'], of?: WalletEntry): WalletEntry {
    const entry: WalletEntry = { tradeNo, amountMinor, number: `N${tradeNo}`, state, ...(of ? { of } : {}) };
    this.entries.set(tradeNo, entry);
    return entry;
  }
}

function approved({ number }: WalletEntry): WalletApproved {
  return { kind: 'approved', hostNumber: number, walletNumber: `W${number}`, hostTime: '120000', hostDate: '0101' };
}
