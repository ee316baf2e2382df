/** The event as the customer sees it: the first line of an outcome. The page has the words in its languages. */
export const happenings = [
  // declined by the bank, the wallet or the card
  'declinedByBank',
  'declined',
  'amountNotTaken',
  'overLimit',
  'cardUnknown',
  'cardExpired',
  'noFunds',
  'noValue',
  'wrongPin',
  'pinTooOften',
  'pinNeeded',
  'usedTooOften',
  'notAllowedHere',
  'terminalUnknown',
  'cardUnusable',
  'cardBlocked',
  'overContactless',
  'refusedByCard',
  'notAccepted',
  'otherCard',
  // not paid
  'cancelledAtTill',
  'cancelledHere',
  'cancelledByCustomer',
  'outOfTime',
  'cardTakenOut',
  'walletClosed',
  'codeNotPaid',
  'paidLate',
  'notRefunded',
  'withdrawn',
  'nothingDeducted',
  // a fault of a part of the terminal
  'readerFailed',
  'pinPadFailed',
  'scannerFailed',
  'octopusReaderFailed',
  'deviceFailed',
  'printerFailed',
  'terminalFailed',
  'clockWrong',
  'restarting',
  'restarted',
  // not decided by the bank or the wallet
  'bankTrouble',
  'takenForRepeat',
  'bankAway',
  'noAnswer',
  'linkBroke',
  'answerUnreadable',
  'interrupted',
  'walletUndecided',
  'codeNotClosed',
  'bankFirst',
  'cardsBankFirst',
  'walletsBankFirst',
  'epsBankFirst',
  'unsendable',
  'numberTaken',
  'octopusLeft',
  'unknown',
  'rejectedLater',
  'bankConfirmed',
  // the request
  'originalNotPossible',
  'alreadyVoided',
  'alreadyRefunded',
  'tooMuch',
  'notPossibleHere',
  'batchFull',
  'busy',
  'tillFault',
] as const;
export type Happening = (typeof happenings)[number];

/** The money that an outcome is about: of a payment, a refund, a void, or a tip. */
export const moneySubjects = ['charge', 'refund', 'void', 'tip'] as const;
export type MoneySubject = (typeof moneySubjects)[number];

/**
 * The state of the money: the second line. NONE: no money was moved. IF_PAID_RETURNED, IF_PAID_ASK: none was moved, but
 * a wallet may still report a payment; it is then returned automatically, or only the staff can return it. DONE: as
 * requested.
 */
export const moneyStates = [
  'DONE',
  'NONE',
  'IF_PAID_RETURNED',
  'IF_PAID_ASK',
  'REVERSED',
  'REVERSAL_PENDING',
  'UNKNOWN',
] as const;
export type MoneyState = (typeof moneyStates)[number];

/** hold-DONE: an approved authorization. */
export type ReportedMoney = `${MoneySubject}-${MoneyState}` | 'hold-DONE';
export const reportedMoney: readonly ReportedMoney[] = [
  ...moneySubjects.flatMap((subject) => moneyStates.map((state) => `${subject}-${state}` as const)),
  'hold-DONE',
];

/** The next step: the third line. */
export const nextSteps = [
  'thanks',
  'sign',
  'payOtherWay',
  'tryAgain',
  'tryLater',
  'insertCard',
  'useThatCard',
  'waysThatWork',
  'startAgain',
  'repeat',
  'askForHelp',
  'askBeforePaying',
] as const;
export type NextStep = (typeof nextSteps)[number];

/** An outcome in three lines. An approval needs no `happened`: its title says it. */
export interface ReportedOutcome {
  readonly happened?: Happening;
  readonly money: ReportedMoney;
  readonly next: NextStep;
}
