import { transactionTypes } from '../../base/domain/transaction-kind.ts';
import type { Command } from './command.ts';
import {
  json,
  messageId,
  outcomeFlags,
  paymentExits,
  paymentFlags,
  simulatorFlags,
  terminalFlags,
} from './till-flags.ts';

const amount = { name: 'AMOUNT', what: 'the total in major units, exactly: 30, 30.50. 30.001 HKD is refused' } as const;

/** Commands of a point of sale for one payment. */
export const paymentCommands = [
  {
    name: 'pay',
    group: 'till',
    rights: 'caller',
    what: 'take a payment, and print its receipt',
    more: [
      'Standard error tells what goes on at the terminal; standard output has the outcome and the receipt. Ctrl-C cancels the payment and waits for its outcome; a second one leaves, and says what to enquire. If the connection is lost, the terminal is asked until the outcome is known: always for the same messageId, so nobody is charged twice.',
      'Only exit code 0 means that the customer has paid.',
    ],
    takes: [amount],
    options: [
      { flag: 'type', value: 'TYPE', what: 'SALE if absent', choices: transactionTypes },
      ...simulatorFlags,
      { flag: 'tip', value: 'AMOUNT', what: 'the tip, a part of the amount' },
      { flag: 'ask-tip', what: 'the customer is asked for a tip, which is added to the amount' },
      { flag: 'cashback', value: 'AMOUNT', what: 'EPS: cash for the customer, a part of the amount' },
      { flag: 'approval', value: 'CODE', what: 'OFFLINE_SALE: the code that the issuer gave by telephone' },
      { flag: 'of', value: 'TRANSACTION', what: 'the earlier transaction, of a completion or a tip' },
      ...paymentFlags,
      ...outcomeFlags,
    ],
    examples: [
      ['poid pay 30', 'A sale of HKD 30.00 at the terminal of this machine.'],
      ['poid pay 30 --card visa --sim', 'The simulator’s customer taps a Visa card.'],
      ['poid pay 30 --method alipay --entry-mode QR_SCAN --sim', 'It shows the code of its phone to the scanner.'],
      [
        'poid pay 120.50 --currency USD --terminal https://192.168.1.5:8080 --key pos.key --pos POS-1',
        'A paired till.',
      ],
      ['poid pay 200 --type AUTH --json', 'A hold; the answer as JSON.'],
      ['poid pay 180 --type OFFLINE_SALE --of 01M850XWYMZ8HNEYCK3PDV79HV', 'Its completion.'],
    ],
    exits: [
      ...paymentExits,
      [9, 'approved before, and voided, released, refunded or reversed since (with --id)'],
      [10, 'approved before, and refunded in part since (with --id)'],
    ],
  },
  {
    name: 'refund',
    group: 'till',
    rights: 'caller',
    what: 'give money back, to a card or to the wallet that paid',
    takes: [amount],
    options: [
      { flag: 'of', value: 'TRANSACTION', what: 'the sale; a wallet’s refund needs it' },
      ...simulatorFlags,
      ...paymentFlags,
      ...outcomeFlags,
    ],
    examples: [
      ['poid refund 10 --of 01M850XWYMZ8HNEYCK3PDV79HV --card visa --sim', 'A part of a sale, to the card that paid.'],
    ],
    exits: paymentExits,
  },
  {
    name: 'void',
    group: 'till',
    rights: 'caller',
    what: 'undo a transaction before its settlement',
    takes: [{ name: 'TRANSACTION', what: 'its terminalTransactionId' }],
    options: [
      {
        flag: 'type',
        value: 'TYPE',
        what: 'VOID if absent: the void that fits',
        choices: transactionTypes.filter((each) => each.startsWith('VOID')),
      },
      { flag: 'cashier', value: 'TEXT', what: 'printed and answered: the cashier' },
      messageId,
      ...outcomeFlags,
    ],
    examples: [['poid void 01M850XWYMZ8HNEYCK3PDV79HV', 'The whole amount; no card is needed.']],
    exits: paymentExits,
  },
  {
    name: 'enquire',
    group: 'till',
    rights: 'caller',
    what: 'tell how a payment or a settlement ended, and what became of it',
    takes: [{ name: 'MESSAGEID', optional: true, what: 'without one, the transaction that this POS began last' }],
    options: [
      { flag: 'receipt', what: 'print its receipt here' },
      ...outcomeFlags.filter(({ flag }) => flag !== 'without-receipt'),
    ],
    examples: [
      ['poid enquire 20261123-0815', 'While it runs, its end is waited for.'],
      ['poid enquire --pos POS-1 --receipt', 'The last one of POS-1.'],
    ],
    exits: [
      [0, 'approved, and it stands'],
      [1, 'this POS has begun no transaction'],
      [4, 'declined: not paid'],
      [5, 'cancelled, or the customer’s time was over: not paid'],
      [6, 'not paid, or the terminal has no such transaction and would know it'],
      [7, 'not known, refused, or no terminal answers: do not charge again'],
      [8, 'under way'],
      [9, 'approved, and voided, released, refunded or reversed since'],
      [10, 'approved, and refunded in part since: refundedAmount tells how much'],
    ],
  },
  {
    name: 'cancel',
    group: 'till',
    rights: 'caller',
    what: 'cancel a payment that waits for its customer',
    takes: [{ name: 'MESSAGEID', what: 'of the payment' }],
    options: [json, ...terminalFlags],
    examples: [['poid cancel 20261123-0815 --pos POS-1', 'It answers when the terminal is idle again.']],
    exits: [
      [0, 'cancelled: nothing was charged'],
      [1, 'not cancelled; poid enquire tells how it stands'],
      [7, 'the cancel got no answer: it is not known'],
    ],
  },
] as const satisfies readonly Command[];
