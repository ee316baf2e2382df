import { accountOf } from './account.ts';
import type { HostAction } from './books.ts';
import type { OperationParts } from './operation-parts.ts';
import { emvDataText } from './emv-data.ts';
import { endingOf } from './amount-endings.ts';
import type { Inclination } from './inclination.ts';
import { arqcVerifies, type IssuerCheck, issuerAuthenticationData } from './issuer.ts';
import type { Message } from './message.ts';
import { asked, unlikeOriginal, voidedBy } from './original.ts';
import { openPinBlock } from './pin-block.ts';
import { type PinCode, PinTries } from './pin-tries.ts';
import type { PostingKind } from './posting.ts';
import { type Presented, readNumber, readPresented } from './presented.ts';
import { type Trace, traceOf } from './trace.ts';
import type { Refusal, Verdict } from './verdict.ts';

const postingKinds = { sale: 'SALE', auth: 'AUTH', refund: 'REFUND' } as const satisfies Record<string, PostingKind>;

/** Online requests: sale, auth and refund with a card, voids, and the reversals of all of them. */
export class OnlineRequests {
  readonly #parts: OperationParts;
  /**
   * Key serial numbers and application transaction counters that were used: each is valid once. The set is bounded,
   * because they run out (21 bits per reader or pad, 16 bits per card).
   */
  readonly #used = new Set<string>();
  readonly #pinTries = new PinTries();

  constructor(parts: OperationParts) {
    this.#parts = parts;
  }

  clear(): void {
    this.#used.clear();
    this.#pinTries.clear();
  }

  /** `decline` is the response code of a request that would otherwise be approved, `script` the template of one. */
  present(
    operation: keyof typeof postingKinds,
    request: Message,
    {
      decline: any,
      declineByAmount,
      coversMinor,
      script,
      duplicates,
    }: Pick<Inclination, 'decline' | 'declineByAmount' | 'coversMinor' | 'script' | 'duplicates'>,
    note: (finding: string) => void,
  ): Verdict | Refusal {
    const { books, keys, profile } = this.#parts;
    const trace = traceOf(request);
    const repeated = this.#repeated(trace, duplicates);
    if (repeated) return repeated;
    const presented = readPresented(request, keys, profile);
    if ('refused' in presented) return presented;
    this.#noteReplay(presented, note);
    if (presented.chip && !arqcVerifies(presented.chip)) return { refused: '63' };
    const pinCode = this.#pinCode(presented);
    if (typeof pinCode !== 'string') return pinCode;
    const decline = any ?? (declineByAmount === true ? endingOf(presented.amountMinor)?.decline : undefined);
    const part = operation === 'sale' ? partOf(presented.amountMinor, coversMinor) : undefined;
    const approval = part === undefined ? '00' : '10';
    const code = pinCode === '00' ? (books.full ? '96' : (decline ?? approval)) : pinCode;
    // The same card data may come again with another PIN: after a wrong PIN only the PIN is requested again.
    if (code === '55') this.#forget(presented);
    const field55 = presented.chip && answerToChip(presented.chip, code, script);
    if (code !== approval) return { refused: code, ...(field55 !== undefined && { field55 }) };
    const stamp = this.#parts.stamp();
    const approvalCode = this.#parts.approvalCode();
    const { amountMinor: asks, tipMinor, cashbackMinor, currency, card } = presented;
    const amountMinor = part ?? asks;
    const kind = postingKinds[operation];
    const account = accountOf(request.fields.get(3) ?? '');
    const money = { amountMinor, tipMinor, cashbackMinor, currency, ...(account && { account }) };
    const posting = books.post({ kind, trace, pan: card.pan, stamp, approvalCode, ...money });
    books.did(trace, { ...asked(request, operation, stamp, posting), undone: false });
    const fields = new Map([[38, approvalCode]]);
    if (field55 !== undefined) fields.set(55, field55);
    if (part !== undefined) fields.set(4, part.toString().padStart(12, '0'));
    return { code, stamp, fields };
  }

  void(
    operation: 'void' | 'void of a refund',
    request: Message,
    { decline, duplicates }: { readonly decline: string | undefined; readonly duplicates: '94' | undefined },
    note: (finding: string) => void,
  ): Verdict | Refusal {
    const { books } = this.#parts;
    const trace = traceOf(request);
    const repeated = this.#repeated(trace, duplicates);
    if (repeated) return repeated;
    const original = voidedBy(request, books);
    if (!original || original.status === 'REVERSED') return { refused: '25' };
    const unlike = unlikeOriginal(request, original, this.#parts.keys, note);
    if (unlike) return unlike;
    if ((original.kind === 'REFUND') !== (operation === 'void of a refund')) {
      return { refused: '12', finding: 'a void with the processing code of another kind' };
    }
    if (original.status !== 'POSTED' || original.batch !== undefined) return { refused: '12' };
    if (BigInt(request.fields.get(4) ?? '0') !== original.amountMinor) return { refused: '13' };
    const code = books.full ? '96' : (decline ?? '00');
    if (code !== '00') return { refused: code };
    const stamp = this.#parts.stamp();
    books.mark(original, 'VOIDED');
    // Assumed: the void of a completion restores the auth.
    if (original.auth) books.mark(original.auth, 'POSTED');
    books.did(trace, { ...asked(request, operation, stamp, original), undone: false });
    return { code, stamp, fields: new Map([[38, this.#parts.approvalCode()]]) };
  }

  /**
   * Reverses the request of this trace number, amount and card. A repeat is counted and changes nothing else. If a
   * terminal has used a trace number again, a request in effect goes before a reversed one.
   */
  reverse(request: Message): Verdict | Refusal {
    const number = readNumber(request, this.#parts.keys);
    if ('refused' in number) return number;
    const amountMinor = BigInt(request.fields.get(4) ?? '0');
    const matching = this.#parts.books
      .actions(traceOf(request))
      .filter(
        (action) => action.amountMinor === amountMinor && action.pan === number.pan && action.content === undefined,
      );
    const action = matching.findLast(({ undone }) => !undone) ?? matching.at(-1);
    if (!action) return { refused: '25' };
    if (action.processing !== request.fields.get(3)) {
      return { refused: '25', finding: 'a reversal with another processing code than its original' };
    }
    return this.#undo(action);
  }

  #undo(action: HostAction): Verdict | Refusal {
    const { posting } = action;
    const wanted = isVoid(action) ? 'VOIDED' : 'POSTED';
    if (!action.undone && (posting.status !== wanted || posting.batch !== undefined)) {
      return { refused: '12', finding: 'a reversal of what was settled, voided or completed since' };
    }
    if (!isVoid(action)) posting.reversals += 1;
    if (!action.undone) this.#takeBack(action);
    action.undone = true;
    return { code: '00', fields: new Map([[37, action.stamp.rrn]]) };
  }

  #takeBack(action: HostAction): void {
    const { books } = this.#parts;
    if (!isVoid(action)) {
      books.mark(action.posting, 'REVERSED');
      return;
    }
    books.mark(action.posting, 'POSTED');
    if (action.posting.auth) books.mark(action.posting.auth, 'COMPLETED');
  }

  /** A repeated request, or another one under its number. */
  #repeated(trace: Trace, duplicates: '94' | undefined): Verdict | undefined {
    const { books } = this.#parts;
    const effective = duplicates === undefined ? books.effectiveAction(trace) : books.actions(trace).at(-1);
    if (!effective) return undefined;
    if (!isVoid(effective) && effective.operation !== 'tip adjust') effective.posting.requests += 1;
    return { code: '94', fields: new Map([[37, effective.stamp.rrn]]) };
  }

  /** 00 without a PIN. A block that can't be decrypted is the terminal's fault: it costs the customer no try. */
  #pinCode({ card, pin }: Presented): PinCode | Refusal {
    if (!pin) return '00';
    const clear = openPinBlock(this.#parts.keys, Buffer.from(pin.ksn, 'hex'), pin.block, card.pan);
    if (clear === undefined) return { refused: '63', finding: 'no PIN block under its key' };
    return this.#pinTries.verify(card, clear);
  }

  /** A key and a counter may be used once. A reuse is only noted: the books must show its effect. */
  #noteReplay(presented: Presented, note: (finding: string) => void): void {
    const { ksn, atc, pinKsn } = usesOf(presented);
    if (this.#used.has(ksn)) note('a key serial number that was used before');
    if (atc !== undefined && this.#used.has(atc)) note('a transaction counter that was used before');
    if (pinKsn !== undefined && this.#used.has(pinKsn)) note('a PIN key serial number that was used before');
    for (const use of [ksn, atc, pinKsn]) if (use !== undefined) this.#used.add(use);
  }

  #forget(presented: Presented): void {
    const { ksn, atc } = usesOf(presented);
    this.#used.delete(ksn);
    if (atc !== undefined) this.#used.delete(atc);
  }
}

/** The part of an amount that a host with `coversMinor` approves; undefined: the whole amount. */
function partOf(amountMinor: bigint, coversMinor: number | undefined): bigint | undefined {
  return coversMinor !== undefined && amountMinor > BigInt(coversMinor) ? BigInt(coversMinor) : undefined;
}

/** The values that are valid once. The pad has its own counter, so its key may have the same number as a track's. */
function usesOf({ card, chip, ksn, pin }: Presented): {
  readonly ksn: string;
  readonly atc: string | undefined;
  readonly pinKsn: string | undefined;
} {
  return {
    ksn,
    atc: chip && `${card.pan} ${chip.panSequenceNumber} ${chip.emv.get('9F36') ?? ''}`,
    pinKsn: pin && `PIN ${pin.ksn}`,
  };
}

/**
 * Commands for a card, EMV 4.3 Book 3, 10.10 and annex E: identifier (9F18), one command (86): unblock, block the
 * application.
 */
const scripts = { '71': '9F18040000000186068418000001AA', '72': '9F1804000000028606841E000001BB' } as const;

/** Field 55: the response code for the card, the issuer's proof of it, and a script where one is ordered. */
function answerToChip(chip: IssuerCheck, code: string, script: keyof typeof scripts | undefined): string {
  return emvDataText([
    ['8A', Buffer.from(code, 'latin1').toString('hex').toUpperCase()],
    ['91', issuerAuthenticationData(chip, code)],
    ...(script === undefined ? [] : [[script, scripts[script]] as const]),
  ]);
}

function isVoid({ operation }: HostAction): boolean {
  return operation === 'void' || operation === 'void of a refund';
}
