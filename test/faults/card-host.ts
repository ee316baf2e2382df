import type { Message } from '../../hw-sim/host/iso8583/message.ts';
import { readTotals } from '../../hw-sim/host/iso8583/totals.ts';
import {
  CardBooks,
  type Deed,
  type Posting,
  type PostingKind,
  type Totals,
  totalsOf,
  totalsText,
} from './card-books.ts';
import type { Dice } from './dice.ts';
import type { Log } from './log.ts';

type Fields = Message['fields'];

/** How one host behaves, for a whole schedule. */
export interface HostManners {
  /** A request once more gets its answer once more; else code 94. */
  readonly answersAgain: boolean;
  /** What was reversed before it came is refused where it was that long on its way: before, the host has forgotten its own word. */
  readonly refusesAfterMs: number;
  readonly declines: number;
  /** Of reversals and advices that it can't take now, percent. */
  readonly busy: number;
  readonly rejectsAdvice: number;
  readonly mismatches: number;
}

/** It can't take it now: try again later. */
const busy = '96';

export const politeManners: HostManners = {
  answersAgain: true,
  refusesAfterMs: 0,
  declines: 0,
  busy: 0,
  rejectsAdvice: 0,
  mismatches: 0,
};

/** A card host behind its wire: the published rules of fixtures/README.md, on books that know nothing of the terminal's. */
export class CardHost {
  readonly books = new CardBooks();
  readonly id: string;
  manners: HostManners;
  readonly #dice: Dice;
  readonly #log: Log;
  #numbers = 0;
  /** The batch that waits for its upload: original trace numbers and amounts. */
  #upload: { readonly batch: number; readonly items: Map<number, bigint> } | undefined;

  constructor(id: string, manners: HostManners, dice: Dice, log: Log) {
    this.id = id;
    this.manners = manners;
    this.#dice = dice;
    this.#log = log;
  }

  /** Carries a message out that was so long on its way, and what is answered to it. */
  answer(request: Message, onTheWayMs: number): Message {
    const { mti, fields } = request;
    const told = this.#carriedOut(request, onTheWayMs);
    this.#log.push(`${this.id} host: ${mti} ${fields.get(3)} ${fields.get(11)} -> ${told.get(39)}`);
    const echoed = ([3, 4, 11, 24, 41] as const).flatMap((field): [number, string][] => {
      const value = fields.get(field);
      return value === undefined || (field === 4 && mti === '0320') ? [] : [[field, value]];
    });
    return { mti: `${mti.slice(0, 2)}${Number(mti[2]) + 1}0`, fields: new Map([...echoed, ...told]) };
  }

  #carriedOut({ mti, fields }: Message, onTheWayMs: number): Fields {
    switch (mti) {
      case '0100':
      case '0200':
        return this.#once(fields, () => this.#online(mti, fields, onTheWayMs));
      case '0220':
      case '0221':
        return this.#once(fields, () => this.#advice(fields));
      case '0400':
      case '0401':
        return this.#reversal(fields);
      case '0320':
        return this.#uploaded(fields);
      case '0500':
        return fields.get(3) === '960000' ? this.#trailer(fields) : this.#settlement(fields);
      default:
        throw new Error(`a message of type ${mti}`);
    }
  }

  /** What was refused for good is refused again, however often it comes. */
  #once(fields: Fields, work: () => Fields): Fields {
    const stan = stanOf(fields);
    const refused = this.books.refused.get(stan);
    if (refused !== undefined) return code(refused);
    const answer = work();
    const told = answer.get(39) ?? '';
    if (told !== '00' && told !== '94' && told !== busy) this.books.refused.set(stan, told);
    return answer;
  }

  #online(mti: string, fields: Fields, onTheWayMs: number): Fields {
    const stan = stanOf(fields);
    const done = this.books.deed(stan);
    if (done) {
      this.#log.counted('request twice');
      return this.manners.answersAgain ? done.answer : code('94');
    }
    if (this.books.tombstones.has(`${stan} ${fields.get(4)}`)) {
      this.#log.counted('request after its reversal');
      if (onTheWayMs >= this.manners.refusesAfterMs) return code('94');
      this.#log.counted('request taken after its reversal');
    }
    if (this.#dice.odds(this.manners.declines)) {
      return code(
        this.#dice.one([
          [3, '51'],
          [1, '05'],
          [1, '91'],
          [fields.has(52) ? 3 : 0, '55'],
        ]),
      );
    }
    const processing = fields.get(3) ?? '';
    if (processing === '020000' || processing === '220000') return this.#void(stan, fields);
    const kind: PostingKind = mti === '0100' ? 'auth' : processing.startsWith('20') ? 'refund' : 'sale';
    return this.#posted(kind, stan, fields, undefined, this.#stamp()).answer;
  }

  #void(stan: number, fields: Fields): Fields {
    const original = this.books.named(fields.get(37));
    if (!original || original.status === 'REVERSED') return code('25');
    if (original.invoice !== fields.get(62)) return code('12');
    if (original.status !== 'POSTED' || (original.batch !== undefined && original.kind !== 'auth')) return code('12');
    if (BigInt(fields.get(4) ?? '0') !== original.amountMinor) return code('13');
    original.status = 'VOIDED';
    if (original.auth) original.auth.status = 'POSTED';
    const answer = this.#stamp();
    this.books.did({ ...asked(fields), posting: original, isVoid: true, answer, undone: false });
    return answer;
  }

  #advice(fields: Fields): Fields {
    const stan = stanOf(fields);
    const content = [3, 4, 12, 13, 37, 38, 54, 60, 62].map((field) => fields.get(field) ?? '').join();
    const done = this.books.deed(stan);
    if (done) {
      this.#log.counted('advice twice');
      return done.content === content ? done.answer : code('94');
    }
    if (this.#dice.odds(this.manners.busy)) return code(busy);
    if (this.#dice.odds(this.manners.rejectsAdvice)) return code('57');
    if (fields.get(3) === '020000') return this.#tip(stan, fields, content);
    const answer = this.#stamp();
    if (!fields.has(60)) return this.#posted('offlineSale', stan, fields, undefined, answer, content).answer;
    const auth = this.books.named(fields.get(37));
    if (auth?.kind !== 'auth' || auth.status !== 'POSTED') return code('12');
    auth.status = 'COMPLETED';
    return this.#posted('completion', stan, fields, auth, answer, content).answer;
  }

  #tip(stan: number, fields: Fields, content: string): Fields {
    const original = this.books.named(fields.get(37));
    if (original?.status !== 'POSTED' || original.batch !== undefined) return code('12');
    if (BigInt(fields.get(60) ?? '0') !== original.amountMinor) return code('13');
    original.amountMinor = BigInt(fields.get(4) ?? '0');
    const answer = this.#stamp(original.rrn);
    this.books.did({ ...asked(fields), posting: original, isVoid: false, content, answer, undone: false });
    return answer;
  }

  #reversal(fields: Fields): Fields {
    const stan = stanOf(fields);
    if (this.#dice.odds(this.manners.busy)) return code(busy);
    const deed = this.books.deed(stan);
    if (!deed || deed.amount !== fields.get(4) || deed.processing !== fields.get(3)) {
      this.books.tombstones.add(`${stan} ${fields.get(4)}`);
      this.#log.counted('reversal without original');
      return code('25');
    }
    if (deed.undone) this.#log.counted('reversal twice');
    else this.#log.counted('reversal');
    return code(this.books.undo(deed) ? '00' : '12');
  }

  #settlement(fields: Fields): Fields {
    const { batch, totals } = claimed(fields);
    const before = this.books.settled.get(batch);
    if (before) {
      this.#log.counted('settlement twice');
      if (totalsText(before) === totalsText(totals)) return code('00');
      // It was settled, and its answer did not arrive: more has come into the batch since, and all of it is uploaded.
      this.#upload = { batch, items: new Map() };
      return code('95');
    }
    const ours = totalsOf(this.books.open);
    const forced = this.#dice.odds(this.manners.mismatches);
    if (!forced && totalsText(ours) === totalsText(totals)) {
      this.#settled(batch, totals, this.books.open);
      return code('00');
    }
    if (forced) this.#log.counted('settlement mismatch');
    this.#upload = { batch, items: new Map() };
    return code('95');
  }

  #uploaded(fields: Fields): Fields {
    if (!this.#upload) return code('12');
    this.#upload.items.set(Number(fields.get(60)?.slice(4)), BigInt(fields.get(4) ?? '0'));
    return code('00');
  }

  #trailer(fields: Fields): Fields {
    const { batch, totals } = claimed(fields);
    const before = this.books.settled.get(batch);
    if (before && totalsText(before) === totalsText(totals)) return code('00');
    const upload = this.#upload;
    if (upload?.batch !== batch) return code('12');
    const inBatch = [...this.books.open, ...this.books.postings.filter((posting) => posting.batch === batch)];
    const postings = inBatch.filter(({ stan, amountMinor }) => upload.items.get(stan) === amountMinor);
    if (totalsText(totalsOf(postings)) !== totalsText(totals)) return code('95');
    this.#upload = undefined;
    this.#settled(batch, totals, postings);
    return code('00');
  }

  #settled(batch: number, totals: Totals, postings: readonly Posting[]): void {
    this.books.settled.set(batch, totals);
    for (const posting of postings) posting.batch = batch;
    this.#log.counted('batch settled', `${this.id} ${batch}: ${totalsText(totals)}`);
  }

  #posted(
    kind: PostingKind,
    stan: number,
    fields: Fields,
    auth: Posting | undefined,
    answer: Fields,
    content?: string,
  ): Deed {
    const posting = this.books.post({
      stan,
      kind,
      invoice: fields.get(62) ?? '',
      rrn: answer.get(37) ?? '',
      amountMinor: BigInt(fields.get(4) ?? '0'),
      auth,
    });
    const deed: Deed = {
      ...asked(fields),
      posting,
      isVoid: false,
      answer,
      undone: false,
      ...(content === undefined ? {} : { content }),
    };
    this.books.did(deed);
    return deed;
  }

  #stamp(rrn = String((this.#numbers += 1)).padStart(12, '0')): Fields {
    return new Map([
      [12, '120000'],
      [13, '0101'],
      [37, rrn],
      [38, `A${rrn.slice(-5)}`],
      [39, '00'],
    ]);
  }
}

function asked(fields: Fields): Pick<Deed, 'stan' | 'processing' | 'amount'> {
  return { stan: stanOf(fields), processing: fields.get(3) ?? '', amount: fields.get(4) ?? '' };
}

function stanOf(fields: Fields): number {
  return Number(fields.get(11));
}

/** What a settlement says. */
export function claimed(fields: Fields): { readonly batch: number; readonly totals: Totals } {
  const totals = readTotals(fields.get(63) ?? '');
  if (!totals) throw new Error('field 63 has another form');
  return { batch: Number(fields.get(60)), totals };
}

function code(value: string): Fields {
  return new Map([[39, value]]);
}
