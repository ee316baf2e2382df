import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * The host of a stored-value card, and its books. One request a line, one answer a line, fields separated by a space:
 *
 *   SALE ref card minor currency batch      OK number balance | NO reason balance
 *   REFUND ref token original minor batch   the same
 *   VOID ref token original                 the same
 *   UNDO ref token                          OK: what `ref` has done is undone, and it will never do anything
 *   TOTALS batch currency                   OK salesCount salesMinor refundsCount refundsMinor
 *   CLOSE batch currency                    OK
 */
export class LoyaltyHost extends EventEmitter<{ booked: [Posting] }> {
  /** The oracle: what is on the card's account, and why. */
  readonly postings: Posting[] = [];
  readonly closed: string[] = [];
  /** silent: it books, and its answer is lost. */
  mode: 'up' | 'silent' = 'up';
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #cards = new Map<string, bigint>();
  readonly #undone = new Set<string>();
  #numbers = 0;

  private constructor() {
    super();
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async open(cards: Readonly<Record<string, bigint>>): Promise<LoyaltyHost> {
    const host = new LoyaltyHost();
    for (const [card, minor] of Object.entries(cards)) host.#cards.set(tokenOf(card), minor);
    host.#server.listen(0, '127.0.0.1');
    await once(host.#server, 'listening');
    return host;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  balanceOf(card: string): bigint {
    return this.#cards.get(tokenOf(card)) ?? 0n;
  }

  /** What stands in the books. */
  get effective(): readonly Posting[] {
    return this.postings.filter(({ status }) => status === 'POSTED');
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    // The terminal may be killed at any time.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    createInterface({ input: socket }).on('line', (line) => {
      const answer = this.#answer(line.split(' '));
      if (this.mode === 'up') socket.write(`${answer}\n`);
    });
  }

  #answer([verb = '', ref = '', ...fields]: readonly string[]): string {
    const [first = '', second = '', third = '', fourth = ''] = fields;
    switch (verb) {
      case 'SALE':
        return this.#book({
          ref,
          kind: 'SALE',
          token: tokenOf(first),
          minor: -BigInt(second),
          currency: third,
          batch: fourth,
        });
      case 'REFUND': {
        const original = this.#find(second, first);
        if (!original) return 'NO unknown-original 0';
        const { token, currency } = original;
        return this.#book({ ref, kind: 'REFUND', token, minor: BigInt(third), currency, batch: fourth });
      }
      case 'VOID': {
        const original = this.#find(second, first);
        if (!original) return 'NO unknown-original 0';
        const { token, currency, minor, batch } = original;
        const answer = this.#book({ ref, kind: 'VOID', token, minor: -minor, currency, batch, voids: original });
        if (answer.startsWith('OK')) original.status = 'VOIDED';
        return answer;
      }
      case 'UNDO':
        return this.#undo(ref, first);
      case 'TOTALS':
        return `OK ${this.#totals(ref, first)}`;
      case 'CLOSE':
        this.closed.push(`${ref} ${first}`);
        return 'OK';
      default:
        return 'NO malformed 0';
    }
  }

  #book(order: Omit<Posting, 'status' | 'number'>): string {
    const balance = this.#cards.get(order.token);
    if (balance === undefined) return 'NO unknown-card 0';
    if (this.#undone.has(order.ref)) return `NO undone ${balance}`;
    if (balance + order.minor < 0n) return `NO insufficient ${balance}`;
    const posting: Posting = { ...order, number: `L${++this.#numbers}`, status: 'POSTED' };
    this.#cards.set(order.token, balance + order.minor);
    this.postings.push(posting);
    this.emit('booked', posting);
    return `OK ${posting.number} ${balance + order.minor}`;
  }

  #undo(ref: string, token: string): string {
    this.#undone.add(ref);
    const posting = this.#find(ref, token);
    if (posting) {
      posting.status = 'UNDONE';
      if (posting.voids) posting.voids.status = 'POSTED';
      this.#cards.set(token, (this.#cards.get(token) ?? 0n) - posting.minor);
    }
    return 'OK';
  }

  #find(ref: string, token: string): Posting | undefined {
    return this.effective.find((each) => each.ref === ref && each.token === token);
  }

  #totals(batch: string, currency: string): string {
    const of = (kind: Posting['kind']) => {
      const items = this.effective.filter(
        (each) => each.kind === kind && each.batch === batch && each.currency === currency,
      );
      const minor = items.reduce((sum, each) => sum + each.minor, 0n);
      return `${items.length} ${minor < 0n ? -minor : minor}`;
    };
    return `${of('SALE')} ${of('REFUND')}`;
  }
}

export interface Posting {
  readonly ref: string;
  readonly number: string;
  readonly kind: 'SALE' | 'REFUND' | 'VOID';
  readonly token: string;
  /** What it adds to the card. */
  readonly minor: bigint;
  readonly currency: string;
  readonly batch: string;
  readonly voids?: Posting;
  status: 'POSTED' | 'VOIDED' | 'UNDONE';
}

function tokenOf(card: string): string {
  return createHash('sha256').update(card).digest('hex').slice(0, 16);
}
