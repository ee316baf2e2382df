import { majorText } from '../base/domain/amount.ts';
import { type TerminalTransactionId, sixDigits } from '../base/domain/identifiers.ts';
import { type Reason, reasons } from '../base/domain/reason.ts';
import type { StoredEvent } from '../payment/events/event.ts';
import type { Intent } from '../payment/events/intent.ts';
import type { ReferenceParts } from '../payment/method/original.ts';
import { canBeReversed, instrumentOf } from '../payment/records/payment.ts';
import { batchOf, presentOf, presentConclusion, readPresent } from '../payment/records/present.ts';
import { buildTree } from '../payment/records/record-tree.ts';
import { type RecordTree, transactionStatus } from '../payment/records/transaction-status.ts';
import { type PossibleAct, possibleActs } from './acts.ts';
import { type MenuState, menuState, type Listed, listRecord } from './listed.ts';

/** An event, as a code that the page has words for, with the values for them. */
export interface StoryLine {
  readonly at: string;
  readonly said: string;
  readonly with?: Readonly<Record<string, string>>;
}

/** Another transaction of the same story. */
interface Related extends Listed {
  readonly state: MenuState;
}

export interface Story extends Related {
  readonly posId: string;
  readonly cashierId: string;
  /** Empty without one. */
  readonly merchantId: string;
  readonly acquirer: string;
  readonly approvalCode: string;
  /** Its identifiers at the bank; empty if nothing was sent. */
  readonly trace: string;
  readonly invoice: string;
  readonly batch: string;
  readonly tip: string;
  /** Its total after all transactions that refer to it. */
  readonly total: string;
  /** Why it did not succeed, by language; absent if it did. */
  readonly why?: Readonly<Record<string, string>>;
  readonly lines: readonly StoryLine[];
  readonly original?: Related;
  readonly later: readonly Related[];
  readonly acts: readonly PossibleAct[];
}

/** One transaction with its history and the possible actions; undefined if there is none. Rejects with JournalError. */
export async function readStory(id: TerminalTransactionId, parts: ReferenceParts): Promise<Story | undefined> {
  const { journal } = parts;
  const tree = await readPresent(id, journal);
  if (!tree) return undefined;
  const { record, later } = tree;
  const { request, intent, amount } = record;
  const { total, tipMinor } = transactionStatus(tree);
  const original = request.originalId === undefined ? undefined : await buildTree(request.originalId, journal);
  return {
    ...relate(tree),
    posId: request.posId,
    cashierId: request.cashierId ?? '',
    merchantId: request.merchantId ?? '',
    acquirer: intent?.acquirerId ?? '',
    approvalCode: approvalCodeOf(tree),
    trace: intent ? sixDigits(intent.trace.stan) : '',
    invoice: intent ? sixDigits(intent.trace.invoice) : '',
    batch: intent ? sixDigits(batchOf(record)) : '',
    tip: tipMinor === 0n ? '' : majorText({ ...amount, minor: tipMinor }),
    total: majorText(total),
    ...whyOf(tree),
    lines: (await journal.read(id)).filter(isLine).map((stored) => undoLineOf(stored, intent) ?? lineOf(stored)),
    ...(original ? { original: relate(original) } : {}),
    later: later.map(relate),
    acts: await possibleActs(tree, parts),
  };
}

function relate(tree: RecordTree): Related {
  const { record } = tree;
  const present = presentOf(tree);
  return { ...listRecord(record, present), state: menuState(record, present.status) };
}

function approvalCodeOf({ record: { hostOutcome } }: RecordTree): string {
  return hostOutcome && 'approvalCode' in hostOutcome ? hostOutcome.approvalCode : '';
}

function whyOf({ record }: RecordTree): Pick<Story, 'why'> {
  const { reason } = presentConclusion(record);
  return reason === undefined ? {} : { why: textOf(reason) };
}

function textOf(recorded: Reason): Readonly<Record<string, string>> {
  return reasons[Object.hasOwn(reasons, recorded) ? recorded : 'unspecified'].text;
}

/** Further events of an attempt to resolve an unknown outcome add nothing to its line. */
function isLine({ event }: StoredEvent): boolean {
  return event.kind !== 'reversalSent' || !event.isAnswered;
}

/** The lines of a payment that can't be reversed, and whose outcome is enquired instead. */
function undoLineOf({ at, event }: StoredEvent, intent: Intent | undefined): StoryLine | undefined {
  if (!intent || canBeReversed(intent)) return undefined;
  if (event.kind === 'reversalQueued') return { at, said: 'enquiryQueued' };
  if (event.kind === 'reversalSent') return { at, said: 'enquirySent', with: { attempt: String(event.attempt) } };
  return undefined;
}

/** Only these fields leave the journal: no card number, no cryptogram. */
function lineOf({ at, event }: StoredEvent): StoryLine {
  switch (event.kind) {
    case 'accepted': {
      const { posId, amountMinor, currency } = event;
      const amount = `${currency} ${majorText({ minor: BigInt(amountMinor), currency })}`;
      return { at, said: 'accepted', with: { pos: posId, amount } };
    }
    case 'optionAnswered':
      return { at, said: event.kind, with: { option: event.name } };
    case 'intent': {
      const { maskedNumber } = instrumentOf(event);
      return { at, said: 'intent', with: { bank: event.acquirerId, digits: maskedNumber.slice(-4) } };
    }
    case 'answered': {
      const { outcome } = event;
      const code = 'responseCode' in outcome ? outcome.responseCode : undefined;
      return { at, said: `answered-${outcome.kind}`, with: { code: code ?? '' } };
    }
    case 'reversalSent':
    case 'adviceSent':
      return { at, said: event.kind, with: { attempt: String(event.attempt) } };
    case 'reversalAcknowledged':
    case 'hostRefused':
    case 'approvedLate':
      return { at, said: event.kind, with: { code: event.responseCode } };
    case 'setAside':
      return { at, said: `setAside-${event.outcome}` };
    case 'cardCompleted':
      return { at, said: `cardCompleted-${event.agreed ? 'agreed' : 'refused'}` };
    case 'adviceAnswered':
      return { at, said: `advice-${event.answer}`, with: { code: event.responseCode } };
    case 'ended':
      return { at, said: `ended-${event.outcome}` };
    default:
      return { at, said: event.kind };
  }
}
