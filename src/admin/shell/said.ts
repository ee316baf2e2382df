import { styleText } from 'node:util';
import { resultOf } from '../../pos/client/answer-result.ts';
import type { Answer, Outcome } from '../../pos/client/client.ts';
import { type OutcomeStatus, statusOf } from './exit-code.ts';
import { moneyText } from './money.ts';
import { shown, shownLines } from './shown.ts';

/** Progress and faults go to standard error: standard output has the result alone. */
export function print(text: string): void {
  process.stderr.write(`${shownLines(text)}\n`);
}

export function warn(text: string): void {
  process.stderr.write(`${styleText('yellow', shownLines(text), { stream: process.stderr })}\n`);
}

const words: Readonly<Record<OutcomeStatus, readonly [word: string, colour: 'green' | 'red' | 'yellow']>> = {
  paid: ['Approved', 'green'],
  refused: ['Refused', 'red'],
  unsettled: ['Not settled', 'red'],
  declined: ['Declined', 'red'],
  cancelled: ['Cancelled', 'yellow'],
  failed: ['Not paid', 'red'],
  unknown: ['Not known', 'yellow'],
  running: ['Under way', 'yellow'],
  undone: ['Undone', 'yellow'],
  partlyRefunded: ['Partly refunded', 'yellow'],
};

/** One line with the state, and below it the reason and the next step. */
export function outcomeText(outcome: Outcome): string {
  const outcomeStatus = statusOf(outcome);
  const [word, colour] = words[outcomeStatus];
  const { answer } = outcome;
  const result = resultOf(answer);
  const status = outcomeStatus === 'undone' ? shown(result['tranStatus']).toLowerCase() : '';
  const head = [
    styleText(['bold', colour], word, { stream: process.stdout }),
    status,
    shown(result['tranType']).replaceAll('_', ' '),
    result['currency'] === undefined ? '' : moneyText(result['totalAmount'], result['currency']),
    ...amountTexts(result),
    shown(result['paymentMethod']),
    shown(result['maskedPan']),
    result['approvalCode'] ? `approval ${shown(result['approvalCode'])}` : '',
  ];
  return [
    head.filter((each) => each !== '').join('  '),
    ...causeOf(outcome),
    ...(answer?.terminalTransactionId === undefined ? [] : [`transaction ${shown(answer.terminalTransactionId)}`]),
  ].join('\n');
}

/** The amount charged, and the amount refunded since. */
export function amountTexts({ currency, finalAmount, refundedAmount }: ReturnType<typeof resultOf>): string[] {
  return [
    ...(finalAmount === undefined ? [] : [`charged ${moneyText(finalAmount, currency)}`]),
    ...(refundedAmount === undefined ? [] : [`refunded ${moneyText(refundedAmount, currency)}`]),
  ];
}

function causeOf(outcome: Outcome): string[] {
  if (outcome.is === 'done' || outcome.is === 'undone') return [];
  const { answer } = outcome;
  if (!answer)
    return [
      `No answer of the terminal: ${outcome.is === 'unknown' ? shown(outcome.trouble) : ''}.`,
      'Do not charge again before the outcome is known.',
    ];
  return refusalLines(answer);
}

/** Why an answer is not a success: for a cashier, for the log, and field by field. */
export function refusalLines({ text, message, reason, financialImpact, hostCode, errors }: Answer): string[] {
  const facts = [reason, financialImpact && `money: ${financialImpact}`, hostCode && `host ${shown(hostCode)}`];
  const faults = (Array.isArray(errors) ? errors : []) as readonly (Readonly<Record<string, unknown>> | null)[];
  return [
    ...(text ? [text.en] : []),
    [shown(message), ...facts.filter(Boolean).map((each) => `[${shown(each)}]`)].filter(Boolean).join(' '),
    ...faults.map((each) => `  ${shown(each?.['pointer']).slice(1)} ${shown(each?.['message'])}`.trimEnd()),
  ]
    .map(shown)
    .filter((each) => each !== '');
}
