import { isCurrencyCode } from '../../base/domain/currency.ts';
import { amount, type Check, having, isObject, optional, text, texts } from '../../base/domain/stored-shape.ts';
import { transactionTypes } from '../../base/domain/transaction-kind.ts';
import { intentForms } from '../../methods/contracts.ts';
import { isOptionEvent, type OptionEvent, optionEvents } from '../../options/contracts.ts';
import { matterKinds } from './customer-matter.ts';
import type { JournalEvent } from './event.ts';

const flag: Check = (value) => typeof value === 'boolean';
const count: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const balance: Check = (value) => typeof value === 'string' && /^-?\d{1,18}$/.test(value);
const currency: Check = (value) => typeof value === 'string' && isCurrencyCode(value);

const kinds: ReadonlySet<unknown> = new Set(transactionTypes.filter((type) => type !== 'VOID'));

function oneOf(...values: readonly string[]): Check {
  return (value) => values.some((each) => each === value);
}

const givenAmount = having({ amountMinor: amount, currency: text });

/** The means of an intent: one of these forms, each of a method. */
const means: readonly Check[] = [
  having({
    card: having({
      brand: text,
      entryMode: text,
      maskedPan: text,
      aid: text,
      appName: text,
      panSequenceNumber: optional(text),
      authenticationMethod: text,
      atc: text,
      tc: text,
      tsi: text,
      tvr: text,
    }),
    cashbackMinor: optional(amount),
    emv: optional(texts),
  }),
  ...intentForms.map(({ isWhole }) => isWhole),
  having({
    method: having({
      name: text,
      scheme: text,
      entryMode: text,
      maskedNumber: text,
      instrumentType: text,
      undo: oneOf('reversal', 'enquiry', 'sameCard'),
    }),
    own: texts,
  }),
];

const intent = having({
  operation: text,
  acquirerId: text,
  mid: text,
  tid: text,
  trace: having({ stan: count, invoice: count, batch: count }),
  original: optional(having({ amountMinor: amount })),
  site: optional(text),
});

const outcomes: Readonly<Record<string, Check>> = {
  approved: having({
    responseCode: text,
    approvalCode: text,
    rrn: text,
    hostTime: text,
    hostDate: text,
    walletNumber: optional(text),
    balanceMinor: optional(balance),
  }),
  offline: having({ approvalCode: text }),
  declined: having({ responseCode: text, rrn: text, reason: optional(text), balanceMinor: optional(balance) }),
  unknown: having({ reason: text, responseCode: optional(text), covered: optional(givenAmount) }),
  notSent: having({ reason: text }),
};

const outcome: Check = (value) => {
  const kind = isObject(value) ? value['kind'] : undefined;
  return typeof kind === 'string' && Object.hasOwn(outcomes, kind) && outcomes[kind]?.(value) === true;
};

const attempt = having({ attempt: count });
const order = having({ acquirerId: text, stan: count, hostAt: optional(text) });
const anything: Check = () => true;

/**
 * The fields that the events of each kind have in every version that has written them. Fields that were added later are
 * optional. A damaged event has no field that is another type than the readers of records expect.
 */
const shapes: Readonly<Record<Exclude<JournalEvent['kind'], OptionEvent['kind']>, Check>> = {
  accepted: having({
    posId: text,
    messageId: text,
    digest: text,
    type: (value) => kinds.has(value),
    amountMinor: amount,
    currency,
    tipMinor: optional(amount),
    cashbackMinor: optional(amount),
    originalId: optional(text),
    approvalCode: optional(text),
    cashierId: optional(text),
    merchantId: optional(text),
    splitOf: optional(text),
  }),
  optionAnswered: having({ name: text, addedMinor: amount, data: texts }),
  intent: (value) => intent(value) && means.some((form) => form(value)),
  answered: having({ outcome }),
  reversalQueued: having({ reason: optional(text), afterSettlement: optional(flag) }),
  reversalSent: having({ attempt: count, isEnquiry: optional(flag), isAnswered: optional(flag) }),
  reversalAcknowledged: having({
    responseCode: text,
    givenBack: optional(having({ rrn: text, refundRrn: text })),
    afterSettlement: optional(flag),
  }),
  hostRefused: having({
    responseCode: text,
    otherAmount: optional(having({ sent: givenAmount, answered: givenAmount })),
  }),
  setAside: having({ outcome: oneOf('POSTED', 'NOT_POSTED') }),
  approvedLate: having({ responseCode: text, rrn: text }),
  numberTaken: anything,
  orderClosed: order,
  orderLookedAt: order,
  withdrawn: anything,
  resolved: anything,
  givenBackInCash: having({
    session: text,
    amountMinor: optional(amount),
    drawer: optional(having({ acquirerId: text, batch: count })),
  }),
  settledWithCustomer: having({ matter: oneOf(...matterKinds), session: text }),
  partlyApproved: having({ amountMinor: amount }),
  cardCompleted: having({ agreed: flag, emv: texts }),
  adviceQueued: anything,
  adviceSent: attempt,
  adviceAnswered: having({
    answer: oneOf('acknowledged', 'rejected'),
    responseCode: text,
    rrn: text,
    hostTime: text,
    hostDate: text,
    reason: optional(text),
    wasCounted: optional(flag),
    otherAmount: optional(having({ sent: givenAmount, answered: givenAmount })),
  }),
  ended: having({
    outcome: oneOf('approved', 'declined', 'error'),
    result: text,
    code: count,
    message: text,
    reason: optional(text),
  }),
  receiptQueued: anything,
  receiptCutOff: anything,
  receiptPrinted: anything,
};

/** Whether an event of a known kind has everything that the events of its kind have. */
export function hasShape(event: JournalEvent): boolean {
  if (isOptionEvent(event)) return optionEvents[event.kind].isWhole(event);
  return shapes[event.kind](event);
}
