import type { Message } from '../../hw-sim/host/iso8583/message.ts';
import type { TerminalTransactionId } from '../../src/base/domain/identifiers.ts';
import { CardBooks, type HostAction, type Posting, type PostingKind } from './card-books.ts';
import { graceMs, type HostManners, politeManners } from './card-manners.ts';
import { CardSettlements, claimed, keyOf } from './card-settlement.ts';
import type { Dice } from './dice.ts';
import type { Log } from './log.ts';

type Fields = Message['fields'];
type Owner = TerminalTransactionId | undefined;

/** The host can't accept the message now: try again later. */
const busy = '96';
/** Codes that are not final. */
const passing = ['94', busy];
/** The host could not decide the request. */
const undecided = ['68', '91', busy];
/** Field 3 of a void, and of the void of a refund. */
const voids = ['020000', '220000'];

/** An incoming message: its transaction, and how long it was on the wire. */
interface Arrival {
  readonly owner: Owner;
  readonly onTheWayMs: number;
  /** Keys of the settled batches whose answer the terminal had received when it sent this. */
  readonly heardBefore: ReadonlySet<string>;
}

/** A card host with the published rules of fixtures/README.md. Its books are independent of the terminal's. */
export class CardHost {
  readonly books = new CardBooks();
  readonly id: string;
  /** Its name in the log: with the site, if each site has its own books. */
  readonly label: string;
  manners: HostManners = politeManners;
  /** Whether the host refuses reversals at this moment. */
  refusesNow: () => boolean = () => false;
  /** Whether the card of a sale covers only half of it. */
  coversHalf: () => boolean = () => false;
  /** Whether the bank has said by telephone that it has no posting of this transaction. */
  isDenied: (owner: TerminalTransactionId) => boolean = () => false;
  /** Whether the bank has confirmed by telephone that it has a posting of this transaction. */
  isConfirmed: (owner: TerminalTransactionId) => boolean = () => false;
  /** Called for a message about a posting that was sent under another terminal id: its host has no such posting. */
  onStranger: (what: string) => void = () => undefined;
  readonly #settlements: CardSettlements;
  readonly #dice: Dice;
  readonly #log: Log;
  #numbers = 0;

  constructor(id: string, dice: Dice, log: Log, label = id) {
    this.id = id;
    this.label = label;
    this.#dice = dice;
    this.#log = log;
    this.#settlements = new CardSettlements(label, this.books, dice, log);
  }

  /** The answer to a message that it does not carry out. */
  refuse(request: Message, responseCode: string): Message {
    const { mti, fields } = request;
    this.#log.push(`${this.label} host: ${mti} ${fields.get(3)} trace ${fields.get(11)} -> ${responseCode}`);
    return answered(request, code(responseCode));
  }

  /** Whether it has carried out an online request of this number. */
  hasCarriedOut({ mti, fields }: Message): boolean {
    return (mti === '0100' || mti === '0200') && this.books.action(stanOf(fields)) !== undefined;
  }

  /**
   * Carries a message out and returns the answer. `unreported`: a posting that came so late that only this answer shows
   * it.
   * `settled`: the settlement that it confirms.
   */
  answer(
    request: Message,
    arrival: Arrival,
  ): { readonly message: Message; readonly unreported?: Posting; readonly settled?: string } {
    const { mti, fields } = request;
    const known = this.books.postings.length;
    const reported = this.#carriedOut(request, arrival);
    this.#log.push(`${this.label} host: ${mti} ${fields.get(3)} trace ${fields.get(11)} -> ${reported.get(39)}`);
    const message = answered(request, reported);
    const posted = this.books.postings.slice(known).find(({ unreported }) => unreported);
    const settled = mti === '0500' && reported.get(39) === '00' ? { settled: keyOf(claimed(fields)) } : {};
    return { message, ...(posted ? { unreported: posted } : {}), ...settled };
  }

  /** Carries out a request that was declined with "wrong PIN" earlier. Returns the late approval. */
  reconsidered(
    { mti, fields }: Message,
    owner: Owner,
  ): { readonly message: Message; readonly unreported: Posting } | undefined {
    const stan = stanOf(fields);
    if (this.books.action(stan) || this.books.tombstones.has(`${stan} ${fields.get(4)}`)) return undefined;
    this.#log.counted('declined and posted', `${this.label} host: posts trace ${stan} after all`);
    const { answer, posting } = this.#posted(kindOf(mti, fields), fields, owner, this.#stamp());
    posting.unreported = true;
    posting.isReconsidered = true;
    return { message: answered({ mti, fields }, answer), unreported: posting };
  }

  /** Whether it carries out later what it has answered with a code that decides nothing. */
  postsLater({ fields }: Message, answer: Fields): boolean {
    const isUndecided = undecided.includes(answer.get(39) ?? '') && !voids.includes(fields.get(3) ?? '');
    return isUndecided && !this.books.action(stanOf(fields)) && this.#dice.odds(this.manners.postsUndecided);
  }

  /** Carries out a request that it has answered with a code that decides nothing. `agoMs`: when it was sent. */
  postLater({ mti, fields }: Message, owner: Owner, agoMs: number): void {
    const stan = stanOf(fields);
    if (this.books.action(stan)) return;
    const isReversed = this.books.tombstones.has(`${stan} ${fields.get(4)}`);
    // The terminal would never learn of it: its reversals were answered "no record" when that was final.
    if (isReversed && agoMs >= Math.min(graceMs, this.manners.refusesAfterMs)) return;
    this.#log.counted(
      isReversed ? 'undecided and posted after its reversal' : 'undecided and posted later',
      `${this.label} host: posts trace ${stan} later`,
    );
    this.#posted(kindOf(mti, fields), fields, owner, this.#stamp());
  }

  #carriedOut({ mti, fields }: Message, arrival: Arrival): Fields {
    const { manners } = this;
    switch (mti) {
      case '0100':
      case '0200':
        return this.#once(fields, () => this.#online(mti, fields, arrival));
      case '0220':
      case '0221':
        return this.#once(fields, () => this.#advice(fields, arrival.owner));
      case '0400':
      case '0401':
        return this.#reversal(fields);
      case '0320':
      case '0321':
        return code(this.#settlements.uploaded(fields, arrival.owner, manners));
      case '0500':
        return code(
          fields.get(3) === '960000'
            ? this.#settlements.trailer(fields, manners, arrival.heardBefore)
            : this.#settlements.settle(fields, manners, arrival.heardBefore),
        );
      default:
        throw new Error(`a message of type ${mti}`);
    }
  }

  /** A finally refused request is refused again at every repeat. */
  #once(fields: Fields, work: () => Fields): Fields {
    const name = `${stanOf(fields)} ${contentOf(fields)}`;
    const refused = this.books.refused.get(name);
    if (refused !== undefined) return code(refused);
    const answer = work();
    const reported = answer.get(39) ?? '';
    if (!answer.has(37) && !passing.includes(reported)) this.books.refused.set(name, reported);
    return answer;
  }

  #online(mti: string, fields: Fields, { owner, onTheWayMs }: Arrival): Fields {
    const stan = stanOf(fields);
    const done = this.books.action(stan);
    if (done) {
      this.#log.counted('request twice');
      return this.manners.answersAgain && done.content === contentOf(fields) ? done.answer : code('94');
    }
    const isLate = this.books.tombstones.has(`${stan} ${fields.get(4)}`);
    if (isLate) {
      this.#log.counted('request after its reversal');
      // A void that comes after the grace would undo a sale that the terminal, after reversing the void, reported as
      // standing.
      const isVoid = voids.includes(fields.get(3) ?? '');
      if (onTheWayMs >= (isVoid ? Math.min(graceMs, this.manners.refusesAfterMs) : this.manners.refusesAfterMs))
        return code('94');
      this.#log.counted('request taken after its reversal');
    }
    if (!this.manners.currencies.includes(fields.get(49) ?? '')) return code('57');
    if (this.#dice.odds(this.manners.declines)) {
      const reported = this.#dice.one([
        [3, '51'],
        [1, '05'],
        [1, this.#dice.of(undecided)],
        [fields.has(52) ? 3 : 0, '55'],
      ]);
      const posts = undecided.includes(reported) && !isLate && !voids.includes(fields.get(3) ?? '');
      if (posts && this.#dice.odds(this.manners.postsUndecided)) {
        this.#log.counted('undecided and posted');
        this.#posted(kindOf(mti, fields), fields, owner, this.#stamp());
      }
      return code(reported);
    }
    const processing = fields.get(3) ?? '';
    if (voids.includes(processing)) return this.#void(fields);
    const kind = kindOf(mti, fields);
    const isPart = kind === 'sale' && BigInt(fields.get(4) ?? '0') > 1n && this.coversHalf();
    const { answer, posting } = isPart
      ? this.#postedHalf(fields, owner)
      : this.#posted(kind, fields, owner, this.#stamp());
    // Within the terminal's grace the next reversal finds it; later only this answer shows it.
    if (isLate && onTheWayMs >= graceMs) posting.unreported = true;
    return answer;
  }

  #void(fields: Fields): Fields {
    // A terminal that only the bank has told of the original names it by field 60: message type and trace number.
    const original = fields.has(37)
      ? this.books.named(fields.get(37))
      : this.books.action(Number(fields.get(60)?.slice(4)))?.posting;
    if (!original || original.status === 'REVERSED' || this.#isStrange(original, fields)) return code('25');
    if (original.invoice !== fields.get(62)) return code('12');
    if (original.status !== 'POSTED' || original.settled.length > 0) return code('12');
    if (BigInt(fields.get(4) ?? '0') !== original.amountMinor) return code('13');
    original.status = 'VOIDED';
    if (original.auth) original.auth.status = 'POSTED';
    const answer = this.#stamp();
    this.books.did({ ...asked(fields), posting: original, isVoid: true, answer, undone: false });
    return answer;
  }

  #advice(fields: Fields, owner: Owner): Fields {
    const { never, busy: busyPercent, rejectsAdvice, adviceAgain, currencies } = this.manners;
    const stan = stanOf(fields);
    const done = this.books.action(stan);
    if (done) {
      this.#log.counted('advice twice');
      if (adviceAgain === 'rejected') {
        if (fields.get(3) === '020000') done.posting.isTipDoubted = true;
        return code('12');
      }
      return adviceAgain === 'answered' && done.content === contentOf(fields) ? done.answer : code('94');
    }
    if (never.advice !== undefined) return code(never.advice);
    if (this.#dice.odds(busyPercent)) return code(busy);
    if (this.#dice.odds(rejectsAdvice) || !currencies.includes(fields.get(49) ?? '')) {
      this.#log.counted('advice rejected', `${this.label} trace ${stan}`);
      if (owner) this.books.rejected.add(owner);
      return code('57');
    }
    if (fields.get(3) === '020000') return this.#tip(fields);
    if (!fields.has(60)) return this.#postAdvice('offlineSale', fields, owner);
    const auth = this.books.named(fields.get(37));
    if (auth?.kind !== 'auth' || auth.status !== 'POSTED' || this.#isStrange(auth, fields)) return code('12');
    auth.status = 'COMPLETED';
    return this.#postAdvice('completion', fields, owner, auth);
  }

  #postAdvice(kind: PostingKind, fields: Fields, owner: Owner, auth?: Posting): Fields {
    const { answer, posting } = this.#posted(kind, fields, owner, this.#stamp(), auth);
    // The bank has said meanwhile that it has no such posting: only this answer shows it.
    if (owner && this.isDenied(owner)) posting.unreported = true;
    return answer;
  }

  #tip(fields: Fields): Fields {
    const original = this.books.named(fields.get(37));
    if (original?.status !== 'POSTED' || original.settled.length > 0) return code('12');
    if (this.#isStrange(original, fields)) return code('12');
    if (BigInt(fields.get(60) ?? '0') !== original.amountMinor) return code('13');
    original.amountMinor = BigInt(fields.get(4) ?? '0');
    const answer = this.#stamp(original.rrn);
    this.books.did({ ...asked(fields), posting: original, isVoid: false, answer, undone: false });
    return answer;
  }

  #reversal(fields: Fields): Fields {
    const { never, busy: busyPercent } = this.manners;
    if (never.reversal !== undefined) return code(never.reversal);
    if (this.refusesNow() || this.#dice.odds(busyPercent)) return code(busy);
    const stan = stanOf(fields);
    const action = this.books.action(stan);
    if (action && this.#isStrange(action.posting, fields)) return code('25');
    if (!action || action.amount !== fields.get(4) || action.processing !== fields.get(3)) {
      this.books.tombstones.add(`${stan} ${fields.get(4)}`);
      this.#log.counted('reversal without original');
      return code('25');
    }
    this.#log.counted(action.undone ? 'reversal twice' : 'reversal');
    if (!this.books.undo(action)) return code('12');
    delete action.posting.unreported;
    return code('00');
  }

  #posted(kind: PostingKind, fields: Fields, owner: Owner, answer: Fields, auth?: Posting): HostAction {
    const posting = this.books.post({
      owner,
      stan: stanOf(fields),
      terminal: fields.get(41) ?? '',
      kind,
      invoice: fields.get(62) ?? '',
      rrn: answer.get(37) ?? '',
      currency: fields.get(49) ?? '',
      amountMinor: BigInt(fields.get(4) ?? '0'),
      auth,
    });
    const action: HostAction = { ...asked(fields), posting, isVoid: false, answer, undone: false };
    this.books.did(action);
    return action;
  }

  /** A partial approval: code 10 with a smaller field 4. */
  #postedHalf(fields: Fields, owner: Owner): HostAction {
    const half = (BigInt(fields.get(4) ?? '0') / 2n).toString().padStart(12, '0');
    this.#log.counted('approved in part', `${this.label} host: covers ${half} of trace ${fields.get(11)}`);
    const answer = new Map([...this.#stamp(), [4, half] as const, [39, '10'] as const]);
    const action = this.#posted('sale', fields, owner, answer);
    action.posting.amountMinor = BigInt(half);
    return action;
  }

  #isStrange({ stan, terminal }: Posting, fields: Fields): boolean {
    const now = fields.get(41) ?? '';
    if (terminal === now) return false;
    this.onStranger(`a message about trace ${stan} of ${terminal} is sent to ${this.label} under ${now}`);
    return true;
  }

  #stamp(rrn = String((this.#numbers += 1)).padStart(12, '0')): Fields {
    return new Map([
      [12, '120000'],
      [13, '0101'],
      [37, rrn],
      [38, `A${rrn.slice(-5)}`],
      [39, this.#dice.of(this.manners.approvals)],
    ]);
  }
}

function answered({ mti, fields }: Message, reported: Fields): Message {
  const echoed = ([3, 4, 11, 24, 41] as const).flatMap((field): [number, string][] => {
    const value = fields.get(field);
    return value === undefined || (field === 4 && mti.startsWith('032')) ? [] : [[field, value]];
  });
  return { mti: `${mti.slice(0, 2)}${Number(mti[2]) + 1}0`, fields: new Map([...echoed, ...reported]) };
}

function kindOf(mti: string, fields: Fields): PostingKind {
  if (mti === '0100') return 'auth';
  return fields.get(3)?.startsWith('20') ? 'refund' : 'sale';
}

function asked(fields: Fields): Pick<HostAction, 'stan' | 'processing' | 'amount' | 'content'> {
  return {
    stan: stanOf(fields),
    processing: fields.get(3) ?? '',
    amount: fields.get(4) ?? '',
    content: contentOf(fields),
  };
}

/** The part that two messages of one trace number share if they are the same request. */
function contentOf(fields: Fields): string {
  return [3, 4, 37, 38, 49, 54, 60, 62].map((field) => fields.get(field) ?? '').join();
}

function stanOf(fields: Fields): number {
  return Number(fields.get(11));
}

function code(value: string): Fields {
  return new Map([[39, value]]);
}
