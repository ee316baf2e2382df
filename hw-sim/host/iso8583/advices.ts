import { currencyOf } from './currency.ts';
import type { OperationParts } from './operation-parts.ts';
import { parseEmvData } from './emv-data.ts';
import type { Inclination } from './inclination.ts';
import type { Message } from './message.ts';
import { asked, unlikeOriginal } from './original.ts';
import type { NewPosting, Posting } from './posting.ts';
import { readAmounts, readNumber } from './presented.ts';
import { type Trace, traceOf } from './trace.ts';
import { opened, type Refusal, type Verdict } from './verdict.ts';

type AdviceName = 'offline sale' | 'completion' | 'tip adjust';
type AdviceManners = Pick<Inclination, 'duplicates' | 'approveAdvices' | 'rejectAdvices'>;

/** The part that a repeat shares with its first message: all but type, terminal and ciphertext. */
const contentFields = [3, 4, 12, 13, 37, 38, 49, 54, 60, 62] as const;

/** Advices: the terminal has already decided. The host posts them or says why not. A repeat is posted once. */
export class Advices {
  readonly #parts: OperationParts;
  readonly #tolerancePercent: bigint;

  /** `completionTolerancePercent`: how far a completion may exceed its auth, a whole number from 0 to 100. */
  constructor(parts: OperationParts, completionTolerancePercent: number) {
    if (!(Number.isInteger(completionTolerancePercent) && inPercent(completionTolerancePercent))) {
      throw new RangeError('completionTolerancePercent is a whole number from 0 to 100');
    }
    this.#parts = parts;
    this.#tolerancePercent = BigInt(completionTolerancePercent);
  }

  take(
    operation: AdviceName,
    request: Message,
    { duplicates, approveAdvices: code = '00', rejectAdvices }: AdviceManners,
    note: (finding: string) => void,
  ): Verdict | Refusal {
    const trace = traceOf(request);
    const content = contentFields.map((field) => request.fields.get(field) ?? '').join(' ');
    const { books } = this.#parts;
    const same = books.actions(trace).findLast((action) => action.content === content);
    if (same) {
      if (operation !== 'tip adjust') same.posting.requests += 1;
      return { code: duplicates ?? code, stamp: same.stamp };
    }
    if (books.effectiveAction(trace) || (duplicates !== undefined && books.actions(trace).length > 0))
      return { refused: '94' };
    if (rejectAdvices !== undefined) return { refused: rejectAdvices };
    if (books.full) return { refused: '96' };
    const posting = this.#posted(operation, request, trace, note);
    if ('refused' in posting) return posting;
    const stamp = operation === 'tip adjust' ? { ...this.#parts.stamp(), rrn: posting.stamp.rrn } : posting.stamp;
    books.did(trace, { ...asked(request, operation, stamp, posting), content, undone: false });
    return { code, stamp };
  }

  #posted(operation: AdviceName, request: Message, trace: Trace, note: (finding: string) => void): Posting | Refusal {
    switch (operation) {
      case 'offline sale':
        return this.#offlineSale(request, trace);
      case 'completion':
        return this.#completion(request, trace, note);
      case 'tip adjust':
        return this.#tipAdjust(request, trace, note);
      default:
        return operation satisfies never;
    }
  }

  #offlineSale(request: Message, trace: Trace): Posting | Refusal {
    const { fields } = request;
    const number = readNumber(request, this.#parts.keys);
    if ('refused' in number) return number;
    if (!this.#parts.keys.cards.has(number.pan)) return { refused: '14' };
    const currency = currencyOf(fields.get(49) ?? '');
    if (!currency) return { refused: '12' };
    const emv = opened(() => parseEmvData(fields.get(55) ?? ''));
    if ('refused' in emv) return emv;
    if (fields.has(55) && emv.get('9F02') !== fields.get(4)) return { refused: '13', finding: 'field 4 is not 9F02' };
    const amounts = readAmounts(fields, this.#parts.profile);
    if ('refused' in amounts) return amounts;
    const approvalCode = fields.get(38) ?? '';
    return this.#post({ kind: 'OFFLINE_SALE', trace, pan: number.pan, currency, approvalCode, ...amounts });
  }

  #completion(request: Message, trace: Trace, note: (finding: string) => void): Posting | Refusal {
    const { fields } = request;
    const auth = this.#parts.books.auth(fields.get(37) ?? '', trace);
    if (!auth || auth.status === 'REVERSED') return { refused: '25' };
    const unlike = unlikeOriginal(request, auth, this.#parts.keys, note);
    if (unlike) return unlike;
    if (fields.get(39) !== '00') return { refused: '12', finding: 'a completion of what was not approved' };
    if (auth.status !== 'POSTED') return { refused: '12' };
    if (BigInt(fields.get(60) ?? '') !== auth.amountMinor) {
      return { refused: '13', finding: 'field 60 is not the amount of the auth' };
    }
    const amounts = readAmounts(fields, this.#parts.profile);
    if ('refused' in amounts) return amounts;
    if (amounts.amountMinor * 100n > auth.amountMinor * (100n + this.#tolerancePercent)) return { refused: '13' };
    const { pan, currency, approvalCode } = auth;
    const posting = this.#post({ kind: 'AUTH_COMP', trace, pan, currency, approvalCode, auth, ...amounts });
    this.#parts.books.mark(auth, 'COMPLETED');
    return posting;
  }

  #tipAdjust(request: Message, trace: Trace, note: (finding: string) => void): Posting | Refusal {
    const { fields } = request;
    const original = this.#parts.books.named(fields.get(37) ?? '', trace);
    if (!original || original.status === 'REVERSED') return { refused: '25' };
    const unlike = unlikeOriginal(request, original, this.#parts.keys, note);
    if (unlike) return unlike;
    const adjustable = original.kind === 'SALE' || original.kind === 'OFFLINE_SALE';
    if (!adjustable || original.status !== 'POSTED' || original.batch !== undefined) return { refused: '12' };
    if (BigInt(fields.get(60) ?? '') !== original.amountMinor) return { refused: '13' };
    const amounts = readAmounts(fields, this.#parts.profile);
    if ('refused' in amounts) return amounts;
    if (amounts.amountMinor - amounts.tipMinor !== original.amountMinor - original.tipMinor) {
      return { refused: '13', finding: 'a tip adjust that changes more than the tip' };
    }
    original.amountMinor = amounts.amountMinor;
    original.tipMinor = amounts.tipMinor;
    return original;
  }

  #post(made: Omit<NewPosting, 'stamp'>): Posting {
    return this.#parts.books.post({ ...made, stamp: this.#parts.stamp() });
  }
}

function inPercent(value: number): boolean {
  return value >= 0 && value <= 100;
}
