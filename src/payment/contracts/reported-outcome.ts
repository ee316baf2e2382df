/** What happened, as the customer is told: the first line of an outcome. The page has the words in its languages. */
export const happenings = [
  // the bank, the wallet or the card said no
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
  // nobody paid
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
  // a part of the terminal
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
  // the bank or the wallet did not decide
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

/** Whose money an outcome is about: of a payment, of what is given back, of a void, of a tip. */
export const moneySubjects = ['charge', 'refund', 'void', 'tip'] as const;
export type MoneySubject = (typeof moneySubjects)[number];

/**
 * What became of the money: the second line. NONE: nothing was moved. IF_PAID_RETURNED, IF_PAID_ASK: nothing was, but a wallet may
 * still tell otherwise; it is then given back, or only the staff can do so. DONE: as was asked for.
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

/** What to do next: the third line. */
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
