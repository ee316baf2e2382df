import type { Message } from '../../hw-sim/host/iso8583/message.ts';
import { readTotals } from '../../hw-sim/host/iso8583/totals.ts';
import { type CardBooks, type Posting, type Totals, totalsOf, totalsText } from './card-books.ts';
import type { HostManners } from './card-manners.ts';
import type { Dice } from './dice.ts';
import type { Log } from './log.ts';

type Fields = Message['fields'];

/** Contents of a settlement: 0500, fields 49, 60 and 63. */
export interface Claim {
  readonly batch: number;
  readonly currency: string;
  readonly totals: Totals;
}

export function claimed(fields: Fields): Claim {
  const totals = readTotals(fields.get(63) ?? '');
  if (!totals) throw new Error('field 63 has another form');
  return { batch: Number(fields.get(60)), currency: fields.get(49) ?? '', totals };
}

/** A host's settlement: it keeps one open batch per currency, with the terminal's batch number. */
export class CardSettlements {
  readonly #id: string;
  readonly #books: CardBooks;
  readonly #dice: Dice;
  readonly #log: Log;
  /** Uploaded postings that wait for their trailer, by currency. */
  readonly #uploads = new Map<string, Posting[]>();

  constructor(id: string, books: CardBooks, dice: Dice, log: Log) {
    this.#id = id;
    this.#books = books;
    this.#dice = dice;
    this.#log = log;
  }

  /**
   * 0500: returns the answer's code. `heardBefore`: settlements whose answer the terminal had received when it sent
   * this.
   */
  settle(
    fields: Fields,
    { mismatches, never, settledAgain, settledUpload, refusesSettlement }: HostManners,
    heardBefore: ReadonlySet<string>,
  ): string {
    if (never.settlement !== undefined) return never.settlement;
    const claim = claimed(fields);
    const refused = this.#dice.odds(refusesSettlement);
    if (refused) this.#log.counted('settlement refused');
    if (refused && this.#dice.odds(70)) return '96';
    const before = this.#books.settled.get(keyOf(claim));
    if (before) {
      this.#log.counted('settlement twice');
      // It was settled, and its answer was lost. If the answer had arrived, a host that counts would take this for
      // another one.
      const isNew = settledUpload === 'counted' && heardBefore.has(keyOf(claim));
      if (settledAgain === 'refused' && !isNew) return '12';
      if (settledAgain === 'confirmed' && !isNew) {
        return totalsText(before) === totalsText(claim.totals) ? '00' : this.#mismatch(claim);
      }
    }
    const open = this.#books.open(claim.currency, fields.get(41) ?? '');
    const forced = this.#dice.odds(mismatches);
    if (forced) this.#log.counted('settlement mismatch');
    if (forced || totalsText(totalsOf(open)) !== totalsText(claim.totals)) return this.#mismatch(claim);
    this.#settled(claim, open);
    return refused ? '96' : '00';
  }

  /** 0320 and 0321. */
  uploaded(fields: Fields, owner: Posting['owner'], { settledUpload, takesUploads, never }: HostManners): string {
    if (never.upload !== undefined) return never.upload;
    const currency = fields.get(49) ?? '';
    const upload = this.#uploads.get(currency);
    if (!upload) return '12';
    const stan = Number(fields.get(60)?.slice(4));
    const terminal = fields.get(41) ?? '';
    const named = this.#books.postings.filter(
      (each) => each.stan === stan && each.currency === currency && each.terminal === terminal,
    );
    const amountMinor = BigInt(fields.get(4) ?? '0');
    const found = named.findLast(({ status, kind }) => status === 'POSTED' && kind !== 'auth');
    if (found?.amountMinor !== amountMinor && !takesUploads) return '25';
    if (found?.amountMinor !== amountMinor) this.#log.counted('upload of what was not there', this.#id);
    const kind = fields.get(3)?.startsWith('20') ? 'refund' : 'sale';
    const own = { owner, stan, terminal, kind, currency, amountMinor, invoice: '', rrn: '' } as const;
    const posting = found ?? this.#books.post(own);
    posting.amountMinor = amountMinor;
    if (posting.settled.length > 0 && settledUpload === 'refused') return '12';
    if (!upload.includes(posting)) upload.push(posting);
    return '00';
  }

  /** 0500 after the last 0320. */
  trailer(
    fields: Fields,
    { settledUpload, settledAgain, never }: HostManners,
    heardBefore: ReadonlySet<string>,
  ): string {
    if (never.settlement !== undefined) return never.settlement;
    const claim = claimed(fields);
    const before = settledAgain === 'forgotten' ? undefined : this.#books.settled.get(keyOf(claim));
    const isNew = settledUpload === 'counted' && heardBefore.has(keyOf(claim));
    if (before && !isNew && totalsText(before) === totalsText(claim.totals)) return '00';
    const upload = this.#uploads.get(claim.currency);
    if (!upload) return '12';
    if (totalsText(totalsOf(upload)) !== totalsText(claim.totals)) return '95';
    this.#uploads.delete(claim.currency);
    this.#settled(claim, settledUpload === 'counted' ? upload : upload.filter(({ settled }) => settled.length === 0));
    return '00';
  }

  #mismatch({ currency }: Claim): string {
    this.#uploads.set(currency, []);
    return '95';
  }

  #settled(claim: Claim, postings: readonly Posting[]): void {
    this.#books.settled.set(keyOf(claim), claim.totals);
    for (const posting of postings) posting.settled.push(keyOf(claim));
    this.#log.counted('batch settled', `${this.#id} ${keyOf(claim)}: ${totalsText(claim.totals)}`);
  }
}

export function keyOf({ batch, currency }: Claim): string {
  return `${batch} ${currency}`;
}
