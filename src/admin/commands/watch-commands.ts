import type { Command, Option } from './command.ts';
import { terminalFlags } from './till-flags.ts';
import { config, done, impossible, json, root, stateDir } from './common.ts';

const times = [
  { flag: 'since', value: 'TIME', what: 'from this time on: ISO 8601 with an offset' },
  { flag: 'until', value: 'TIME', what: 'before this time' },
] as const satisfies readonly Option[];

const formats = [
  { flag: 'json', what: 'a JSON document a line' },
  { flag: 'csv', what: 'a table for a spreadsheet' },
] as const satisfies readonly Option[];

const range = [
  ...times,
  { flag: 'of', value: 'POSID', what: 'of this POS' },
  { flag: 'acquirer', value: 'NAME', what: 'of a batch of this acquirer; with --batch' },
  { flag: 'batch', value: 'N', what: 'the batch; with --acquirer' },
] as const satisfies readonly Option[];

const readsCopy =
  'It reads a copy, beside a running terminal or a stopped one, and changes nothing. Of a card number it shows the last four digits.';

/** Commands that show a terminal, its devices, its journal and its log. */
export const watchCommands = [
  {
    name: 'devices',
    printsOnly: true,
    group: 'watch',
    rights: 'caller',
    what: 'tell what is plugged in, which driver fits, and the configuration for it',
    more: [
      'Serial lines, HID devices and printers of the USB class, as the kernel tells of them. No device is opened.',
    ],
    options: [json, root],
    examples: [['poid devices', 'The configuration line of each goes into /etc/poid/poid.json.']],
    exits: [done],
  },
  {
    name: 'journal list',
    printsOnly: true,
    group: 'watch',
    rights: 'owner',
    what: 'list the transactions of the journal, the newest first',
    more: [readsCopy],
    options: [
      { flag: 'limit', value: 'N', what: 'at most so many; 20 if absent' },
      ...range,
      json,
      config,
      stateDir,
      root,
    ],
    examples: [['poid journal list --since 2026-11-23T00:00:00+08:00 --limit 100', 'Of a day.']],
    exits: [[0, 'they are listed'], impossible],
  },
  {
    name: 'journal show',
    printsOnly: true,
    group: 'watch',
    rights: 'owner',
    what: 'tell the story of one transaction, an event a line',
    more: [readsCopy],
    takes: [{ name: 'ID', what: 'its terminalTransactionId, or a messageId' }],
    options: [json, config, stateDir, root],
    examples: [['poid journal show 01M850XWYMZ8HNEYCK3PDV79HV', 'From the request to the paper.']],
    exits: [[0, 'printed'], impossible],
  },
  {
    name: 'journal verify',
    printsOnly: true,
    group: 'watch',
    rights: 'owner',
    what: 'read the whole journal: each page, index and transaction',
    more: [readsCopy],
    options: [json, config, stateDir, root],
    examples: [['poid journal verify', 'Before a disk is trusted again.']],
    exits: [
      [0, 'it is whole'],
      [1, 'it is damaged, put back from elsewhere, or can’t be read'],
    ],
  },
  {
    name: 'journal export',
    printsOnly: true,
    group: 'watch',
    rights: 'owner',
    what: 'print every transaction, the oldest first',
    more: [readsCopy],
    options: [...formats, ...range, config, stateDir, root],
    examples: [['poid journal export --csv > november.csv', 'Amounts are decimals, with their currency beside them.']],
    exits: [[0, 'they are printed'], impossible],
  },
  {
    name: 'journal settlements',
    printsOnly: true,
    group: 'watch',
    rights: 'owner',
    what: 'print the totals of every settlement, the oldest first',
    more: [
      'A row for each batch, kind and currency. A batch without totals has a row without an amount.',
      'It reads a copy, beside a running terminal or a stopped one, and changes nothing.',
    ],
    options: [...formats, ...times, config, stateDir, root],
    examples: [
      ['poid journal settlements --csv > november.csv', 'Amounts are decimals, with their currency beside them.'],
    ],
    exits: [[0, 'they are printed'], impossible],
  },
  {
    name: 'logs',
    printsOnly: true,
    group: 'watch',
    rights: 'caller',
    what: 'print the terminal’s log for a person; with an ID, the story of one payment',
    takes: [{ name: 'ID', optional: true, what: 'a terminalTransactionId or a messageId' }],
    more: ['Times are those of the shop (timeZone of the configuration), with their offset from UTC.'],
    options: [
      { flag: 'file', value: 'FILE', what: 'a log in place of the unit’s, or - for standard input', completes: 'file' },
      { flag: 'unit', value: 'NAME', what: 'the unit; poid if absent' },
      { flag: 'since', value: 'TIME', what: 'from this time on, as journalctl takes it' },
      { flag: 'follow', what: 'go on as the log does' },
      { flag: 'json', what: 'the lines as they are, a JSON document each' },
      config,
    ],
    examples: [
      ['poid logs 01M850XWYMZ8HNEYCK3PDV79HV', 'All lines of one payment.'],
      ['poid logs --since today --follow', 'What the terminal does.'],
      ['journalctl -u poid -o cat | poid logs --file -', 'From a pipe.'],
    ],
    exits: [
      [0, 'printed'],
      [1, 'no line names it, or there is no log'],
    ],
  },
  {
    name: 'trace',
    group: 'watch',
    rights: 'both',
    what: 'record the messages to and from card hosts for a while',
    more: [
      'The running terminal decodes each message by the dialect of its host. Card numbers, expiry dates, tracks, PIN blocks, keys and codes of messages are not in it: the length of each hidden value is shown.',
      'It ends by itself: after its time, 10000 messages or 8 MiB, and when this command or the terminal ends. There is one trace at a time. Begin and end are recorded with the user who asked, in audit.jsonl and in traces.jsonl of the state directory.',
    ],
    options: [
      { flag: 'for', value: 'TIME', what: 'how long at most: 90s, 10m, 1h; 10m if absent, one hour at most' },
      { flag: 'acquirer', value: 'NAME', what: 'only the messages of this acquirer' },
      { flag: 'out', value: 'FILE', what: 'a new file, which gets a JSON document a line', completes: 'file' },
      { flag: 'json', what: 'print a JSON document a line' },
      config,
      stateDir,
    ],
    examples: [
      ['poid trace --for 10m --acquirer EDC', 'Field by field, as they come.'],
      ['poid trace --for 1h --out trace.jsonl', 'For the bank.'],
    ],
    exits: [
      [0, 'it has ended: its time is over, or it was stopped'],
      [1, 'it could not begin, or has ended early; standard error says why'],
    ],
  },
  {
    name: 'certify',
    group: 'setup',
    rights: 'both',
    what: 'run an acquirer’s list of cases against its test host, and write the evidence',
    more: [
      'On the terminal itself, as root. It asks before each case, pays as a POS, and records the messages of the card line (poid trace). After each case DIR/evidence.json and DIR/evidence.html have all that was shown: messages decoded and masked, the receipt, PASS or FAIL with the reasons. docs/acquirer.md describes the script.',
      'Each run has messageIds of its own: nothing is charged twice under one. Ctrl-C cancels the case under way and stops after it; --from continues.',
    ],
    takes: [{ name: 'SCRIPT', what: 'the cases, a JSON file', completes: 'file' }],
    options: [
      {
        flag: 'out',
        value: 'DIR',
        what: 'the directory of the evidence; certification if absent',
        completes: 'directory',
      },
      { flag: 'from', value: 'ID', what: 'continue with this case; the results before it are kept' },
      { flag: 'yes', what: 'ask nothing' },
      {
        flag: 'sim',
        value: 'URL',
        mayBeAlone: true,
        what: 'a simulated customer presents the cards, by the simulator at this address; http://127.0.0.1:8090 if absent',
      },
      { flag: 'json', what: 'print the evidence as JSON, and nothing else' },
      ...terminalFlags,
      config,
      stateDir,
    ],
    examples: [
      ['poid certify edc.json --out edc-2026', 'Asks for each card.'],
      ['poid certify edc.json --yes --sim', 'Against the simulator.'],
    ],
    exits: [
      [0, 'each case has passed'],
      [1, 'a case has failed or was not run, or nothing could begin; standard error says why'],
    ],
  },
] as const satisfies readonly Command[];
