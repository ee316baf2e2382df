import { preferredEntryModes } from '../../base/domain/payment-scheme.ts';
import type { ExitCode, Option } from './command.ts';

export const terminalFlags = [
  {
    flag: 'terminal',
    value: 'URL',
    what: 'the terminal; $POID_TERMINAL, or http://127.0.0.1:8080 if absent',
  },
  { flag: 'pos', value: 'NAME', what: 'the posId; $POID_POS, or SHELL if absent. With a key, that of the pairing' },
  {
    flag: 'key',
    value: 'FILE',
    what: 'the key of a pairing, which signs the calls; $POID_KEY if absent',
    completes: 'file',
  },
  { flag: 'ca', value: 'FILE', what: 'the terminal’s certificate, in PEM', completes: 'file' },
  { flag: 'fingerprint', value: 'SHA256', what: 'the terminal’s certificate by the fingerprint that its screen shows' },
] as const satisfies readonly Option[];

export const json = {
  flag: 'json',
  what: 'print the terminal’s own answer, and nothing else; without an answer, nothing',
} as const satisfies Option;

export const messageId = {
  flag: 'id',
  value: 'MESSAGEID',
  what: 'the messageId; by time if absent. The same again returns the outcome of the same transaction',
} as const satisfies Option;

export const simulatorFlags = [
  {
    flag: 'sim',
    value: 'URL',
    mayBeAlone: true,
    what: 'a simulated customer pays, by the simulator at this address; http://127.0.0.1:8090 if absent',
  },
  {
    flag: 'card',
    value: 'NAME',
    what: 'visa, mastercard, amex, jcb, unionpay, octopus, eps: where the payment app starts; with --sim the card that is presented, also octopus-low and others that the simulator lists',
  },
  {
    flag: 'entry',
    value: 'HOW',
    what: 'with --sim: how the card is presented; tap if absent',
    choices: ['tap', 'insert', 'swipe'],
  },
  { flag: 'pin', value: 'DIGITS', what: 'with --sim: the PIN that is entered when it is asked for' },
] as const satisfies readonly Option[];

export const merchant = {
  flag: 'merchant',
  value: 'ID',
  what: 'of this merchant of the terminal, by its id',
} as const satisfies Option;

export const paymentFlags = [
  { flag: 'currency', value: 'CODE', what: 'ISO 4217; HKD if absent' },
  {
    flag: 'method',
    value: 'NAME',
    what: 'where the payment app starts: CARD, QR, or a method as VISA, ALIPAY, OCTOPUS, EPS, CASH',
  },
  { flag: 'entry-mode', value: 'MODE', what: 'how it starts', choices: preferredEntryModes },
  { flag: 'acquirer', value: 'NAME', what: 'the only acquirer that may take it' },
  { flag: 'merchant', value: 'ID', what: 'the merchant that is paid, by its id; the terminal’s first if absent' },
  { flag: 'collect', value: 'SECONDS', what: 'how long the customer may take' },
  { flag: 'cashier', value: 'TEXT', what: 'printed and answered: the cashier' },
  { flag: 'shift', value: 'TEXT', what: 'printed and answered: the shift' },
  { flag: 'reference', value: 'TEXT', what: 'printed and answered: the till’s own reference' },
  messageId,
] as const satisfies readonly Option[];

export const outcomeFlags = [
  {
    flag: 'wait',
    value: 'SECONDS',
    what: 'how long a terminal that is silent is asked for the outcome; 120 if absent',
  },
  { flag: 'without-receipt', what: 'print no receipt here' },
  json,
  ...terminalFlags,
] as const satisfies readonly Option[];

export const paymentExits = [
  [0, 'approved: the customer has paid, or got back, the amount'],
  [1, 'refused, or no terminal answers: nothing was begun, now or before under this --id'],
  [4, 'declined: not paid'],
  [5, 'cancelled, or the customer’s time was over: not paid'],
  [6, 'ended with an error: not paid, or taken back'],
  [7, 'not known: do not charge again before poid enquire tells the outcome'],
] as const satisfies readonly ExitCode[];

export const batchFlags = [
  { flag: 'acquirer', value: 'NAME', what: 'of this acquirer' },
  { flag: 'batch', value: 'N', what: 'this batch of the acquirer, also a closed one' },
] as const satisfies readonly Option[];

export const answered = [0, 'the terminal has answered'] as const satisfies ExitCode;
export const refused = [1, 'refused, or no terminal answers'] as const satisfies ExitCode;
