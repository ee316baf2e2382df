import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import type { CurrencyCode } from '../../../src/base/domain/currency.ts';
import type { JournalledOutcome } from '../../../src/payment/events/answer.ts';
import type { BatchTotals, LinkState } from '../../../src/payment/contracts/acquirer-host.ts';
import type { LoyaltySettings } from './settings.ts';

/** What the host said in a line, or why it said nothing: notSent where not one byte left. */
type Reply = { readonly kind: 'line'; readonly fields: readonly string[] } | { readonly kind: 'notSent' | 'unknown' };

/** A longer line is none of the protocol. */
const lineMax = 200;

/** The stored-value host, one connection a request. */
export class LoyaltyLink {
  link: LinkState = 'idle';
  readonly #settings: LoyaltySettings;

  constructor(settings: LoyaltySettings) {
    this.#settings = settings;
  }

  /** SALE, REFUND or VOID. */
  async order(...fields: readonly string[]): Promise<JournalledOutcome> {
    const reply = await this.#ask(fields);
    if (reply.kind === 'notSent') return { kind: 'notSent', reason: 'host-down' };
    const [word = '', said = '', balanceMinor = ''] = reply.kind === 'line' ? reply.fields : [];
    if (!/^\d{1,12}$/.test(balanceMinor)) return { kind: 'unknown', reason: 'no-answer' };
    if (word === 'OK') {
      const none = { approvalCode: '', hostTime: '', hostDate: '' };
      return { kind: 'approved', responseCode: word, rrn: said, balanceMinor, ...none };
    }
    if (word !== 'NO') return { kind: 'unknown', reason: 'no-answer' };
    const reason = said === 'insufficient' ? 'insufficientValue' : 'declined';
    return { kind: 'declined', reason, responseCode: said, rrn: '', balanceMinor };
  }

  /** Whether it is undone, and will never be done. */
  async undo(ref: string, token: string): Promise<boolean> {
    return isOk(await this.#ask(['UNDO', ref, token]));
  }

  /** Nothing where the host did not say. */
  async totals(batch: number, currency: CurrencyCode): Promise<BatchTotals | undefined> {
    const reply = await this.#ask(['TOTALS', String(batch), currency]);
    if (reply.kind !== 'line' || !/^OK( \d{1,12}){4}$/.test(reply.fields.join(' '))) return undefined;
    const [sales = '', salesMinor = '', refunds = '', refundsMinor = ''] = reply.fields.slice(1);
    return {
      currency,
      sales: { count: Number(sales), minor: BigInt(salesMinor) },
      refunds: { count: Number(refunds), minor: BigInt(refundsMinor) },
    };
  }

  async closeBatch(batch: number, currency: CurrencyCode): Promise<boolean> {
    return isOk(await this.#ask(['CLOSE', String(batch), currency]));
  }

  #ask(fields: readonly string[]): Promise<Reply> {
    const { host, port, replyTimeoutMs } = this.#settings;
    return new Promise((resolve) => {
      let isSent = false;
      let text = '';
      const socket = connect(port, host, () => {
        isSent = true;
        socket.write(`${fields.join(' ')}\n`);
      });
      let isOver = false;
      const end = (reply: Reply) => {
        if (isOver) return;
        isOver = true;
        this.link = reply.kind === 'line' ? 'up' : 'down';
        clearTimeout(timer);
        socket.destroy();
        resolve(reply);
      };
      const silence = () => end({ kind: isSent ? 'unknown' : 'notSent' });
      const timer = setTimeout(silence, replyTimeoutMs);
      socket.on('error', silence).on('close', silence);
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        const [line, rest] = text.split('\n');
        if (rest !== undefined) end({ kind: 'line', fields: (line ?? '').split(' ') });
        else if (text.length > lineMax) silence();
      });
    });
  }
}

/** How the journal names a card: its code stands in no file. */
export function tokenOf(code: string): string {
  return createHash('sha256').update(code).digest('hex').slice(0, 16);
}

function isOk(reply: Reply): boolean {
  return reply.kind === 'line' && reply.fields[0] === 'OK';
}
