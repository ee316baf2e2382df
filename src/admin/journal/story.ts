import { contradictionText } from '../../base/domain/contradicted-amount.ts';
import type { Amount } from '../../base/domain/amount.ts';
import { scrub } from '../../base/domain/masking.ts';
import type { JournalEvent, StoredEvent, UnreadableEvent } from '../../payment/events/event.ts';
import { instrumentOf } from '../../payment/records/payment.ts';

type Money = (amount: Amount) => string;

/**
 * The history of one transaction, an event a line, with its amount as `money` writes it. It has no other data of the
 * events, so no card number and no cryptogram.
 */
export function storyLines(events: readonly StoredEvent[], money: Money): string[] {
  return events.map(({ at, event }) => `${at}  ${scrub(eventText(event, money))}`);
}

type Kind = (JournalEvent | UnreadableEvent)['kind'];
type Teller = {
  [Each in Kind]: (event: Extract<JournalEvent | UnreadableEvent, { kind: Each }>, money: Money) => string;
};

const tellers: Teller = {
  accepted: ({ type, amountMinor, currency, posId, messageId, originalId, cashierId, merchantId }, money) =>
    [
      `accepted: ${type} ${currency} ${money({ minor: BigInt(amountMinor), currency })} of ${posId} ${messageId}`,
      ...(originalId === undefined ? [] : [`for ${originalId}`]),
      ...(merchantId === undefined ? [] : [`merchant ${merchantId}`]),
      ...(cashierId === undefined ? [] : [`cashier ${cashierId}`]),
    ].join(', '),
  optionAnswered: ({ name, addedMinor }) => `option ${name} was answered: ${addedMinor} more in minor units`,
  tipChosen: ({ tipMinor }) => `the customer chose a tip of ${tipMinor} in minor units`,
  intent: (intent) => {
    const { scheme, entryMode, maskedNumber } = instrumentOf(intent);
    const { stan, batch, invoice } = intent.trace;
    const number = maskedNumber === '' ? '' : ` ****${maskedNumber.slice(-4)}`;
    return `to ${intent.acquirerId}: ${intent.operation} by ${scheme}${number} (${entryMode}), trace ${stan}, batch ${batch}, invoice ${invoice}`;
  },
  answered: ({ outcome }) => {
    const code = 'responseCode' in outcome && outcome.responseCode ? `, code ${outcome.responseCode}` : '';
    const why = 'reason' in outcome ? `, ${outcome.reason}` : '';
    const approval = 'approvalCode' in outcome && outcome.approvalCode ? `, approval ${outcome.approvalCode}` : '';
    return `answer: ${outcome.kind}${code}${why}${approval}`;
  },
  reversalQueued: ({ reason }) => `its reversal, or the enquiry that determines its outcome, is queued: ${reason}`,
  reversalSent: ({ attempt, isEnquiry, isAnswered }) => {
    if (isAnswered) return `the request to end it is answered, attempt ${attempt}`;
    return `${isEnquiry ? 'an enquiry' : 'the reversal or enquiry'} is sent, attempt ${attempt}`;
  },
  reversalAcknowledged: ({ responseCode }) => `reversed, code ${responseCode}`,
  hostRefused: ({ responseCode, otherAmount }) =>
    otherAmount
      ? `the host answers with another amount, code ${responseCode}: ${contradictionText(otherAmount)}`
      : `the host refuses what was sent, code ${responseCode}`,
  setAside: ({ outcome }) => `the operator has the bank's word: ${outcome}`,
  approvedLate: ({ responseCode }) => `approved late, code ${responseCode}`,
  numberTaken: () => 'the host has another transaction of this number',
  givenBackInCash: ({ session }) => `the operator (session ${session}) has given it back in cash`,
  settledWithCustomer: ({ matter, session }) =>
    `the operator (session ${session}) has settled it with the customer: ${matter}`,
  orderClosed: ({ stan, isOpen }) =>
    isOpen
      ? `the order of trace ${stan} may still be open, and is being closed`
      : `the order of trace ${stan} is closed`,
  orderLookedAt: ({ stan }) => `the closed order of trace ${stan} was looked at again`,
  withdrawn: () => 'withdrawn: it came to nothing',
  resolved: () => 'the outcome became known',
  partlyApproved: ({ amountMinor }) => `the host approves a part: ${amountMinor} in minor units`,
  cardCompleted: ({ agreed }) => `the chip ${agreed ? 'agreed' : 'refused'}`,
  signed: () => 'the customer signed on the screen',
  adviceQueued: () => 'approved here; its advice is queued',
  adviceSent: ({ attempt }) => `the advice is sent, attempt ${attempt}`,
  adviceAnswered: ({ answer, responseCode, otherAmount }) =>
    `the advice is ${answer}, code ${responseCode}${otherAmount ? `: ${contradictionText(otherAmount)}` : ''}`,
  ended: ({ outcome, result, reason, message }) =>
    [`ended: ${outcome} (${result}${reason === undefined ? '' : `, ${reason}`})`, message].filter(Boolean).join(', '),
  receiptQueued: () => 'the receipt waits for the printer',
  receiptCutOff: () => 'the printer began the receipt and did not finish it',
  receiptPrinted: () => 'the receipt is printed',
  unreadable: ({ reason }) => `an event that can't be read: ${reason}`,
};

function eventText(event: JournalEvent | UnreadableEvent, money: Money): string {
  const describe = tellers[event.kind] as (event: JournalEvent | UnreadableEvent, money: Money) => string;
  return describe(event, money);
}
