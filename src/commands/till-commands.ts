import type { Command } from './command.ts';
import { impossible } from './common.ts';
import { answered, batchFlags, json, messageId, outcomeFlags, refused, terminalFlags } from './till-flags.ts';

/** What else a point of sale asks of a terminal. */
export const tillCommands = [
  {
    name: 'settle',
    group: 'till',
    what: 'settle the open batches',
    takes: [{ name: 'ACQUIRER', optional: true, what: 'this one alone' }],
    options: [messageId, outcomeFlags[0], json, ...terminalFlags],
    examples: [['poid settle', 'At the end of the day.']],
    exits: [
      [0, 'settled: each batch is BALANCED or UPLOADED'],
      [1, 'refused, or no terminal answers: nothing was begun'],
      [3, 'a batch is not settled; the terminal tries again'],
      [7, 'not known'],
    ],
  },
  {
    name: 'report',
    printsOnly: true,
    group: 'till',
    what: 'sum up the open batches, or a closed one, by method, POS and cashier',
    options: [...batchFlags, { flag: 'csv', what: 'print the sums as CSV' }, json, ...terminalFlags],
    examples: [
      ['poid report', 'The X report.'],
      ['poid report --acquirer EDC --batch 30233 --csv', 'The Z report of one batch.'],
    ],
    exits: [answered, refused],
  },
  {
    name: 'transactions',
    printsOnly: true,
    group: 'till',
    what: 'list what the terminal has taken, the newest first',
    options: [
      { flag: 'since', value: 'TIME', what: 'from this time on: ISO 8601 with an offset' },
      { flag: 'until', value: 'TIME', what: 'before this time' },
      ...batchFlags,
      { flag: 'of', value: 'POSID', what: 'of this POS' },
      { flag: 'state', value: 'STATE', what: 'APPROVED, DECLINED, ERROR, VOIDED, REFUNDED, PROCESSING and others' },
      { flag: 'limit', value: 'N', what: 'at most so many, 1 to 100; 50 if absent' },
      { flag: 'cursor', value: 'CURSOR', what: 'go on where the page before ended' },
      { flag: 'order', value: 'ORDER', what: 'of acceptance', choices: ['newest', 'oldest'] },
      { flag: 'last', what: 'only the one that was accepted last' },
      json,
      ...terminalFlags,
    ],
    examples: [
      ['poid transactions --since 2026-11-23T00:00:00+08:00 --state APPROVED', 'Of a day.'],
      ['poid transactions --last --of POS-1 --json', 'What a till began last.'],
    ],
    exits: [answered, refused],
  },
  {
    name: 'events',
    printsOnly: true,
    group: 'till',
    what: 'tell what the terminal does now, and with --follow every change',
    options: [
      { flag: 'follow', what: 'go on until Ctrl-C, also over broken connections' },
      { flag: 'of', value: 'POSID', what: 'transactions of this POS alone' },
      { flag: 'json', what: 'a JSON document a line: event and data' },
      ...terminalFlags,
    ],
    examples: [['poid events --follow', 'State and step of each transaction, and its receipt.']],
    exits: [answered, refused],
  },
  {
    name: 'status',
    printsOnly: true,
    group: 'till',
    what: 'tell whether the terminal can take payments, and what waits',
    options: [json, ...terminalFlags],
    examples: [['poid status', 'Devices, hosts, batches, and what waits for a host or the operator.']],
    exits: [answered, refused],
  },
  {
    name: 'print',
    group: 'till',
    what: 'print a text, a receipt or a report at the terminal’s printer',
    more: ['A text is marked as the till’s. A line of dashes becomes a rule.'],
    takes: [{ name: 'FILE', optional: true, what: 'a text, or - for standard input', completes: 'file' }],
    options: [
      { flag: 'receipt', value: 'TRANSACTION', what: 'the receipt of this terminalTransactionId again' },
      { flag: 'copy', value: 'COPY', what: 'of the receipt', choices: ['CUSTOMER', 'MERCHANT'] },
      { flag: 'report', what: 'the report, of the open batches or of a closed one' },
      ...batchFlags,
      messageId,
      json,
      ...terminalFlags,
    ],
    examples: [
      ['poid print - < order.txt', 'Standard input.'],
      ['poid print --receipt 01M850XWYMZ8HNEYCK3PDV79HV --copy MERCHANT', 'Marked DUPLICATE.'],
      ['poid print --report', 'The X report on paper.'],
    ],
    exits: [[0, 'printed'], refused, [8, 'it waits for the printer']],
  },
  {
    name: 'pair',
    group: 'till',
    what: 'agree on a key with a terminal whose operator has opened pairing',
    takes: [{ name: 'KEYFILE', what: 'where the key is written; no file may be there', completes: 'file' }],
    options: terminalFlags.filter(({ flag }) => flag !== 'key'),
    examples: [
      ['poid pair pos.key --pos POS-1 --terminal http://192.168.1.5:8080', 'It asks for the six digits of the screen.'],
    ],
    exits: [[0, 'paired'], impossible],
  },
] as const satisfies readonly Command[];
