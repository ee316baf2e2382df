import { type Account, accountOf } from './account.ts';
import type { Currency } from './currency.ts';
import type { OperationParts } from './operation-parts.ts';
import type { Message } from './message.ts';
import { asked } from './original.ts';
import type { Posting, PostingKind } from './posting.ts';
import { readNumber } from './presented.ts';
import { traceOf } from './trace.ts';
import type { Refusal } from './verdict.ts';

/** One difference between a terminal and the books. Null: that side does not have it. */
export interface Difference {
  /** Trace number of the original. */
  readonly stan: string;
  /** 'posting': the whole of it. Amounts are minor units; of a card the last four digits are told. */
  readonly field:
    | 'posting'
    | 'kind'
    | 'status'
    | 'amount'
    | 'card'
    | 'account'
    | 'rrn'
    | 'approvalCode'
    | 'invoice'
    | 'mid'
    | 'batch';
  readonly terminal: string | null;
  readonly host: string | null;
}

/** One transaction of an upload. */
export interface Uploaded {
  /** Field 60: original message type and trace number. */
  readonly original: string;
  readonly kind: PostingKind;
  readonly amountMinor: bigint;
  readonly posting: Posting;
  readonly differences: readonly Difference[];
}

/** Reads a 0320 and looks up its original. A transaction that the books lack is posted from it. */
export function uploadedIn(request: Message, currency: Currency, parts: OperationParts): Uploaded | Refusal {
  const { fields } = request;
  const number = readNumber(request, parts.keys);
  if ('refused' in number) return number;
  const original = fields.get(60) ?? '';
  const [mti, stan] = [original.slice(0, 4), original.slice(4)];
  const refund = fields.get(3)?.startsWith('20') === true;
  if (refund && mti !== '0200') return { refused: '12', finding: 'a refund that was an advice' };
  const amountMinor = BigInt(fields.get(4) ?? '0');
  const trace = { ...traceOf(request), stan };
  const account = accountOf(fields.get(3) ?? '');
  const made = parts.books
    .actions(trace)
    .filter(({ operation, undone }) => makesPostings.has(operation) && !undone)
    .map(({ posting }) => posting);
  const found = made.findLast(({ batch }) => batch === undefined) ?? made.at(-1);
  if (found) {
    const kinds = kindsOf(mti, refund);
    const claimed = { kinds, amountMinor, pan: number.pan, account, rrn: fields.get(37), approvalCode: fields.get(38) };
    const differences = differencesOf(found, { ...claimed, invoice: trace.invoice, mid: trace.mid });
    return { original, kind: refund ? 'REFUND' : 'SALE', amountMinor, posting: found, differences };
  }
  // An offline sale and a completion look the same in an upload, and count the same in the totals.
  const kind = kindsOf(mti, refund)[0];
  const stamp = { ...parts.stamp(), rrn: fields.get(37) ?? '' };
  const rest = { currency, stamp, approvalCode: fields.get(38) ?? '', amountMinor, tipMinor: 0n };
  const eps = { ...(account && { account }), cashbackMinor: 0n };
  const posting = parts.books.post({ kind, trace, pan: number.pan, ...rest, ...eps }, true);
  parts.books.did(trace, { ...asked(request, 'upload', stamp, posting), content: original, undone: false });
  return { original, kind, amountMinor, posting, differences: [unknown(posting)] };
}

interface Claimed {
  readonly kinds: readonly PostingKind[];
  readonly amountMinor: bigint;
  readonly pan: string;
  readonly account: Account | undefined;
  readonly rrn: string | undefined;
  readonly approvalCode: string | undefined;
  readonly invoice: string;
  readonly mid: string;
}

const makesPostings = new Set<string>(['sale', 'auth', 'refund', 'offline sale', 'completion', 'upload']);

function kindsOf(mti: string, refund: boolean): readonly [PostingKind, ...PostingKind[]] {
  if (refund) return ['REFUND'];
  return mti === '0220' ? ['OFFLINE_SALE', 'AUTH_COMP'] : ['SALE'];
}

function unknown({ trace, amountMinor }: Posting): Difference {
  return { stan: trace.stan, field: 'posting', terminal: amountMinor.toString(), host: null };
}

function differencesOf(posting: Posting, claimed: Claimed): Difference[] {
  const { trace, stamp, pan, approvalCode, kind, batch } = posting;
  // Posted from an earlier upload message: the books still did not have it on their own.
  const differences: Difference[] = posting.fromUpload ? [unknown(posting)] : [];
  const compare = (field: Difference['field'], terminal: string, host: string): void => {
    if (terminal !== host) differences.push({ stan: trace.stan, field, terminal, host });
  };
  if (!claimed.kinds.includes(kind)) compare('kind', claimed.kinds.join(' or '), kind);
  compare('status', 'POSTED', posting.status);
  compare('amount', claimed.amountMinor.toString(), posting.amountMinor.toString());
  if (claimed.pan !== pan) {
    differences.push({ stan: trace.stan, field: 'card', terminal: claimed.pan.slice(-4), host: pan.slice(-4) });
  }
  compare('account', claimed.account ?? '', posting.account ?? '');
  compare('rrn', claimed.rrn ?? stamp.rrn, stamp.rrn);
  compare('approvalCode', claimed.approvalCode ?? approvalCode, approvalCode);
  compare('invoice', claimed.invoice, trace.invoice);
  compare('mid', claimed.mid, trace.mid);
  if (batch !== undefined) compare('batch', '', batch.toString());
  return differences;
}
