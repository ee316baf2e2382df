import type { Card } from '../../card/card.ts';
import { Books } from './books.ts';
import { emvDataText } from './emv-data.ts';
import { arqcVerifies, issuerAuthenticationData } from './issuer.ts';
import type { Message } from './message.ts';
import { hongKongTime, Numbers } from './numbers.ts';
import { clearCardData, readReversal, readSale, readTrace, type Sale, type Trace } from './sale.ts';

export interface Answered {
  readonly kind: 'sale' | 'reversal' | 'other';
  /** Missing where the request was no request, so that there is nothing to answer. */
  readonly reply?: Message;
  /** What a sound terminal would not have sent. */
  readonly findings: readonly string[];
}

/** Field 39, and what else the answer carries: field number and value. */
type Verdict = readonly [responseCode: string, ...fields: (readonly [field: number, value: string])[]];

/** Fields that an answer repeats from its request. */
const echoed = [3, 4, 11, 24, 41] as const;

/** The acquirer and the issuer behind it, in one: decides, books, and says what to answer. Knows nothing of sockets. */
export class Acquirer {
  readonly books = new Books();
  readonly #cards: ReadonlyMap<string, Card>;
  readonly #bdk: Buffer;
  readonly #seed: number;
  readonly #now: () => Date;
  #numbers: Numbers;
  /**
   * Key serial numbers and application transaction counters that sales have used: each is good for one. Both run out
   * (21 bits a reader, 16 bits a card), so this does too.
   */
  readonly #used = new Set<string>();
  readonly #counts = { saleRequests: 0, reversalRequests: 0, approvals: 0 };

  constructor(options: { cards: Iterable<Card>; bdk: Buffer; seed: number; now: () => Date }) {
    this.#cards = new Map([...options.cards].map((card) => [card.pan, card]));
    this.#bdk = options.bdk;
    this.#seed = options.seed;
    this.#now = options.now;
    this.#numbers = new Numbers(options.seed);
  }

  get counts(): { readonly saleRequests: number; readonly reversalRequests: number; readonly approvals: number } {
    return { ...this.#counts };
  }

  get numbers(): Numbers {
    return this.#numbers;
  }

  /** `decline` is the response code of a sale that would otherwise be approved. */
  answer(request: Message, decline?: string): Answered {
    const findings = clearCardData(request);
    switch (request.mti) {
      case '0200':
        return { kind: 'sale', reply: this.#reply(request, this.#sale(request, decline, findings)), findings };
      case '0400':
      case '0401':
        return { kind: 'reversal', reply: this.#reply(request, this.#reversal(request, findings)), findings };
      case '0800':
        return { kind: 'other', reply: this.#reply(request, ['00']), findings };
      default:
        return this.#unknown(request, findings);
    }
  }

  clear(): void {
    this.books.clear();
    this.#used.clear();
    this.#numbers = new Numbers(this.#seed);
    this.#counts.saleRequests = 0;
    this.#counts.reversalRequests = 0;
    this.#counts.approvals = 0;
  }

  #sale(request: Message, decline: string | undefined, findings: string[]): Verdict {
    this.#counts.saleRequests += 1;
    const trace = readTrace(request);
    if ('refused' in trace) return this.#refuse(request, trace.refused, findings, trace.finding);
    const standing = this.books.repeated(trace.tid, trace.stan, trace.nii);
    if (standing) return ['94', [37, standing.rrn]];
    const sale = readSale(request, trace, { bdk: this.#bdk, cards: this.#cards });
    if ('refused' in sale) return this.#refuse(request, sale.refused, findings, sale.finding);
    this.#noteReplay(sale, findings);
    if (!arqcVerifies(sale)) return this.#refuse(request, '63', findings);
    const code = this.books.full ? '96' : (decline ?? '00');
    const authentication = issuerAuthenticationData(sale, code);
    const field55 = emvDataText([
      ['8A', Buffer.from(code, 'latin1').toString('hex').toUpperCase()],
      ['91', authentication],
    ]);
    if (code !== '00') return [...this.#refuse(request, code, findings), [55, field55]];
    const { rrn, approvalCode } = this.#post(sale, trace);
    return [code, [37, rrn], [38, approvalCode], [55, field55]];
  }

  #post(sale: Sale, trace: Trace): { rrn: string; approvalCode: string } {
    const at = this.#now();
    const rrn = this.#numbers.rrn(hongKongTime(at));
    const approvalCode = this.#numbers.approvalCode();
    const { amount, amountMinor, currency, card } = sale;
    const money = { amount, amountMinor, currency };
    this.books.post({ ...trace, ...money, rrn, approvalCode, pan: card.pan, at: at.toISOString() });
    this.#counts.approvals += 1;
    return { rrn, approvalCode };
  }

  #refuse(request: Message, responseCode: string, findings: string[], finding?: string): Verdict {
    if (finding !== undefined) findings.push(finding);
    const at = this.#now();
    const rrn = this.#numbers.rrn(hongKongTime(at));
    const stan = request.fields.get(11) ?? '';
    this.books.decline({ stan, rrn, responseCode, tid: request.fields.get(41) ?? '', at: at.toISOString() });
    return [responseCode, [37, rrn]];
  }

  #reversal(request: Message, findings: string[]): Verdict {
    this.#counts.reversalRequests += 1;
    const reversal = readReversal(request, this.#bdk);
    if ('refused' in reversal) {
      if (reversal.finding !== undefined) findings.push(reversal.finding);
      return [reversal.refused];
    }
    const original = this.books.reverse(reversal);
    return original ? ['00', [37, original.rrn]] : ['25'];
  }

  /** A sale may use a key and a counter once. It is only noted: the books shall show what the terminal does to them. */
  #noteReplay(sale: Sale, findings: string[]): void {
    const atc = `${sale.card.pan} ${sale.panSequenceNumber} ${sale.emv.get('9F36') ?? ''}`;
    if (this.#used.has(sale.ksn)) findings.push('a key serial number that was used before');
    if (this.#used.has(atc)) findings.push('a transaction counter that was used before');
    this.#used.add(sale.ksn).add(atc);
  }

  #unknown(request: Message, findings: string[]): Answered {
    findings.push(`a message of type ${request.mti}`);
    // The third digit is the function: even is asked, odd is answered (ISO 8583:1987, message type identifier).
    if (Number(request.mti.charAt(2)) % 2 === 1) return { kind: 'other', findings };
    return { kind: 'other', reply: this.#reply(request, ['12']), findings };
  }

  #reply(request: Message, [responseCode, ...extra]: Verdict): Message {
    const at = hongKongTime(this.#now());
    const fields = new Map<number, string>([[12, at.time], [13, at.date], [39, responseCode], ...extra]);
    for (const field of echoed) {
      const value = request.fields.get(field);
      if (value !== undefined) fields.set(field, value);
    }
    return { mti: answerType(request.mti), fields };
  }
}

/** 0200 → 0210, 0401 → 0410: the next function; the last digit is the origin, where odd is a repeat. */
function answerType(mti: string): string {
  const origin = Number(mti.charAt(3));
  return `${mti.slice(0, 2)}${Number(mti.charAt(2)) + 1}${origin - (origin % 2)}`;
}
