import { type Currency, currencyOf } from './currency.ts';
import type { OperationParts } from './operation-parts.ts';
import type { Inclination } from './inclination.ts';
import type { Message } from './message.ts';
import type { Posting } from './posting.ts';
import { areEqual, readTotals, type ShownTotals, shown, type Totals, totalsOf } from './totals.ts';
import { traceOf } from './trace.ts';
import { type Difference, type Uploaded, uploadedIn } from './upload.ts';
import type { Refusal, Verdict } from './verdict.ts';

/** One batch of one terminal in one currency. */
export interface SettlementEntry {
  readonly batch: number;
  /** Alphabetic code. */
  readonly currency: string;
  /** MISMATCH: answered 95, and not uploaded yet, or not all of it. */
  readonly result: 'BALANCED' | 'UPLOADED' | 'MISMATCH';
  readonly terminal: ShownTotals;
  readonly host: ShownTotals;
  /** Transactions that came by upload. */
  readonly uploaded: number;
  /** Differences between upload and books, per transaction. */
  readonly differences: readonly Difference[];
  /** When it was answered last. ISO 8601, UTC. */
  readonly at: string;
}

interface Settlement {
  readonly tid: string;
  readonly batch: number;
  readonly currency: Currency;
  /** Trace number of the 0500 that was answered 95. */
  refusedStan: string;
  result: SettlementEntry['result'];
  terminal: Totals;
  host: Totals;
  /** By original: a second upload of the same transaction replaces the first. */
  readonly uploads: Map<string, Uploaded>;
  /** The last upload said that more follow. */
  more: boolean;
  /** In the books, open, and not uploaded by the time of the trailer. */
  missing: Difference[];
  /** What it has settled. */
  settled: readonly Posting[];
  at: string;
}

/** Invalid transaction. */
const refusedSettled = '12';
const unsettled = { more: false, missing: [], settled: [] };

type Manners = Pick<Inclination, 'mismatch' | 'settled' | 'settledCode' | 'settledRepeats'>;

const settlementsMax = 10_000;
const differencesMax = 1000;

/** Closes batches: compares totals, collects the upload where they differ, and settles. */
export class Settlements {
  readonly #parts: OperationParts;
  readonly #all: Settlement[] = [];
  /** By terminal, currency and batch number. */
  readonly #byBatch = new Map<string, Settlement>();
  /** By terminal and currency: the batch that waits for its upload. */
  readonly #pending = new Map<string, Settlement>();

  constructor(parts: OperationParts) {
    this.#parts = parts;
  }

  clear(): void {
    this.#all.length = 0;
    this.#byBatch.clear();
    this.#pending.clear();
  }

  entries(): SettlementEntry[] {
    return this.#all.map(entryOf);
  }

  /** 0500/920000. `mismatch`: answers 95 whatever the totals, unless the batch is settled already. */
  compare(request: Message, { mismatch = false, ...manners }: Manners): Verdict | Refusal {
    const claim = readClaim(request);
    if ('refused' in claim) return claim;
    const { tid, stan } = traceOf(request);
    const known = this.#byBatch.get(batchKey(tid, claim));
    const again = known && this.#again(known, claim, manners);
    if (again) return again;
    // The same message once more, while its batch waits for the upload.
    if (known?.result === 'MISMATCH' && known.refusedStan === stan && areEqual(known.terminal, claim.totals)) {
      return { code: '95' };
    }
    if (!known && this.#all.length >= settlementsMax) return { refused: '96' };
    const open = [...this.#parts.books.open(tid, claim.currency.code)];
    const host = totalsOf(open);
    const settlement = this.#enter(tid, stan, claim, host, known);
    const pendingKey = `${tid} ${claim.currency.code}`;
    if (mismatch || !areEqual(claim.totals, host)) {
      this.#pending.set(pendingKey, settlement);
      return { code: '95', ...(mismatch && { forced: true }) };
    }
    settlement.result = 'BALANCED';
    this.#pending.delete(pendingKey);
    for (const posting of open) this.#parts.books.settle(posting, claim.batch);
    settlement.settled = open;
    return { code: '00' };
  }

  /** The answer to a batch that is already settled in this currency; undefined if it must be checked. */
  #again(known: Settlement, claim: Claim, manners: Manners): Verdict | Refusal | undefined {
    const { settled, settledCode = refusedSettled, settledRepeats = false } = manners;
    if (known.result === 'MISMATCH') return undefined;
    const isRepeat = areEqual(known.terminal, claim.totals);
    if (isRepeat && !settledRepeats) return { code: '00' };
    if (settled === 'refused') return { refused: settledCode };
    if (!isRepeat) return undefined;
    if (settled === 'countedTwice') {
      for (const posting of known.settled) this.#parts.books.settle(posting, claim.batch);
      this.#all.push({ ...known, at: this.#parts.at() });
    }
    return { code: '00' };
  }

  /** 0320: one transaction of the batch that waits for its upload. */
  upload(request: Message, { settled, settledCode = refusedSettled }: Manners): Verdict | Refusal {
    const currency = currencyOf(request.fields.get(49) ?? '');
    if (!currency) return { refused: '12' };
    const pending = this.#pending.get(`${traceOf(request).tid} ${currency.code}`);
    if (!pending) return { refused: '12', finding: 'an upload without a batch that waits for it' };
    if (this.#parts.books.full) return { refused: '96' };
    const uploaded = uploadedIn(request, currency, this.#parts);
    if ('refused' in uploaded) return uploaded;
    if (settled === 'refused' && uploaded.posting.batch !== undefined) return { refused: settledCode };
    pending.uploads.set(uploaded.original, uploaded);
    pending.more = request.fields.get(3)?.endsWith('1') === true;
    pending.at = this.#parts.at();
    return { code: '00' };
  }

  /** 0500/960000: the end of an upload. */
  trailer(request: Message, manners: Manners, note: (finding: string) => void): Verdict | Refusal {
    const claim = readClaim(request);
    if ('refused' in claim) return claim;
    const { tid } = traceOf(request);
    const known = this.#byBatch.get(batchKey(tid, claim));
    const again = known && this.#again(known, claim, manners);
    if (again) return again;
    const pendingKey = `${tid} ${claim.currency.code}`;
    if (!known || this.#pending.get(pendingKey) !== known) {
      return { refused: '12', finding: 'a trailer of a batch that waits for no upload' };
    }
    if (known.more) note('a trailer where more was announced');
    known.at = this.#parts.at();
    known.terminal = claim.totals;
    if (!areEqual(claim.totals, totalsOf(known.uploads.values()))) return { code: '95' };
    known.result = 'UPLOADED';
    this.#pending.delete(pendingKey);
    this.#settleUploaded(known, manners);
    return { code: '00' };
  }

  /** Settles the uploaded postings that stand. A posting that was not uploaded stays open. */
  #settleUploaded(settlement: Settlement, { settled }: Manners): void {
    const { books } = this.#parts;
    const counts = ({ status, batch }: Posting): boolean =>
      status === 'POSTED' && (batch === undefined || settled === 'countedTwice');
    settlement.settled = [...settlement.uploads.values()].map(({ posting }) => posting).filter(counts);
    for (const posting of settlement.settled) books.settle(posting, settlement.batch);
    settlement.missing = Array.from(books.open(settlement.tid, settlement.currency.code), missingOf);
  }

  /** A repeated batch that was not settled keeps its entry. */
  #enter(tid: string, stan: string, claim: Claim, host: Totals, known: Settlement | undefined): Settlement {
    const at = this.#parts.at();
    if (known?.result === 'MISMATCH') {
      known.uploads.clear();
      Object.assign(known, { refusedStan: stan, terminal: claim.totals, host, more: false, at });
      return known;
    }
    const { batch, currency, totals: terminal } = claim;
    const stated = { tid, batch, currency, refusedStan: stan, terminal, host, at };
    const made: Settlement = { ...stated, result: 'MISMATCH', uploads: new Map(), ...unsettled };
    this.#all.push(made);
    this.#byBatch.set(batchKey(tid, claim), made);
    return made;
  }
}

/** The contents of a 0500. */
interface Claim {
  readonly batch: number;
  readonly currency: Currency;
  readonly totals: Totals;
}

function readClaim({ fields }: Message): Claim | Refusal {
  const currency = currencyOf(fields.get(49) ?? '');
  if (!currency) return { refused: '12' };
  const totals = readTotals(fields.get(63) ?? '');
  if (!totals) return { refused: '30', finding: 'field 63 has another form' };
  return { batch: Number(fields.get(60)), currency, totals };
}

function batchKey(tid: string, { currency, batch }: Claim): string {
  return `${tid} ${currency.code} ${batch}`;
}

function missingOf({ trace, amountMinor }: Posting): Difference {
  return { stan: trace.stan, field: 'posting', terminal: null, host: amountMinor.toString() };
}

function entryOf({ batch, currency, result, terminal, host, uploads, missing, at }: Settlement): SettlementEntry {
  const found = Array.from(uploads.values(), ({ differences }) => differences).flat();
  return {
    batch,
    currency: currency.code,
    result,
    terminal: shown(terminal, currency),
    host: shown(host, currency),
    uploaded: uploads.size,
    differences: [...found, ...missing].slice(0, differencesMax),
    at,
  };
}
