import type { CommandName } from '../../../src/admin/commands/table.ts';

/** What the calls are about. */
export interface Placeholders {
  /** Where the terminal is for a till, and how it trusts it: flags of the till's commands. */
  readonly terminal: string;
  /** terminalTransactionId of a sale by card that stands, and of one that may be voided. */
  readonly sale: string;
  readonly other: string;
  /** messageId of the sale that stands. */
  readonly messageId: string;
  /** The file from which the terminal was provisioned. */
  readonly file: string;
  /** `poid fleet status`, with its broker; undefined where there is none. */
  readonly broker: string | undefined;
}

/** Who calls: root, the service's user within the unit's restrictions, or somebody with no right on this machine. */
export type Caller = 'root' | 'service' | 'till';

/** A command line without `poid`, and the exit code that the table of commands documents for it. */
export interface Call {
  readonly as: Caller;
  readonly words: string;
  readonly code: number;
  readonly input?: string;
  /** The terminal must be stopped. */
  readonly stopped?: true;
}

type Calls = (reported: Placeholders) => readonly Call[];

const byRootAndService = (words: string, code: number): Calls => {
  return () => (['root', 'service'] as const).map((as) => ({ as, words, code }));
};

/** Only root may do it; within the service's rights it says so. */
const byRootAlone = (words: string, code: number): Calls => {
  return () => [
    { as: 'root', words, code },
    { as: 'service', words, code: 1 },
  ];
};

const byTill = (words: (reported: Placeholders) => string, code: number, input = ''): Calls => {
  return (reported) => [{ as: 'till', words: `${words(reported)} ${reported.terminal}`, code, input }];
};

/** Settled and stopped, before anything is removed. */
const stopped = (as: Caller, words: string, code: number): Call => ({ as, words, code, stopped: true });

/** Calls of every command, in the order in which the table of commands has them: a command without one is an error. */
export const callsOf: Readonly<Record<CommandName, Calls>> = {
  // Another one runs on the same state directory.
  run: () => [{ as: 'service', words: 'run --config /etc/poid/poid.json', code: 1 }],
  sim: () => [{ as: 'root', words: 'sim --sim-dir /var/lib/poid-sim --sim-port 0', code: 1 }],
  'await-idle': byRootAndService('await-idle --wait 60', 0),
  unsettled: () => [
    ...byRootAndService('unsettled', 1)({} as Placeholders),
    stopped('root', 'unsettled --json', 0),
    stopped('service', 'unsettled', 0),
  ],
  'operator-password': () =>
    (['root', 'service'] as const).map((as) => ({ as, words: 'operator-password', code: 0, input: '135792\n' })),
  pairings: byRootAndService('pairings', 0),
  unpair: () => [
    ...byRootAndService('unpair POS-9', 1)({} as Placeholders),
    stopped('root', 'unpair POS-1', 0),
    stopped('service', 'unpair POS-1', 1),
  ],

  pay: byTill(() => 'pay 30 --card visa --sim', 0),
  refund: byTill(({ sale }) => `refund 10 --of ${sale} --card visa --sim`, 0),
  void: byTill(({ other }) => `void ${other}`, 0),
  enquire: (reported) => [
    ...byTill(() => 'enquire 20200101-0000 --wait 5', 7)(reported),
    // A part of it was refunded.
    ...byTill(({ messageId }) => `enquire ${messageId}`, 10)(reported),
  ],
  cancel: byTill(({ messageId }) => `cancel ${messageId}`, 1),

  settle: byTill(() => 'settle', 0),
  report: byTill(() => 'report --csv', 0),
  transactions: byTill(() => 'transactions --limit 5', 0),
  events: byTill(() => 'events', 0),
  status: byTill(() => 'status', 0),
  print: byTill(() => 'print -', 0, 'one tea\n'),
  // No key is written over.
  pair: (reported) => [{ as: 'till', words: `pair pos.key ${reported.terminal.replace(/ --key \S+/, '')}`, code: 1 }],

  provision: ({ file }) => [
    ...byRootAlone(`provision --force ${file}`, 1)({} as Placeholders),
    stopped('root', `provision --force ${file}`, 0),
  ],
  // Its host has not moved.
  'acquirer moved': () => [stopped('root', 'acquirer moved EDC', 1)],
  announce: byRootAndService('announce', 0),
  snapshot: byRootAlone('snapshot', 0),
  'factory-reset': () => [
    { as: 'root', words: 'factory-reset --yes PT-000123', code: 1 },
    { as: 'service', words: 'factory-reset --yes PT-000123', code: 1 },
  ],
  'config check': byRootAndService('config check /etc/poid/poid.json', 0),
  'config dialect': byRootAndService('config dialect EDC --sample sale', 0),
  'config schema': byRootAndService('config schema', 0),
  'config sample': byRootAndService('config sample', 0),
  // A container has no clock that a time server sets, so that one part fails.
  selftest: () => [
    ...byRootAlone('selftest --unattended', 1)({} as Placeholders),
    stopped('root', 'selftest --unattended', 1),
  ],
  doctor: byRootAndService('doctor', 1),

  devices: byRootAndService('devices', 0),
  'journal list': byRootAndService('journal list', 0),
  'journal show': ({ sale }) => byRootAndService(`journal show ${sale}`, 0)({} as Placeholders),
  'journal verify': () => [
    ...byRootAndService('journal verify', 0)({} as Placeholders),
    stopped('root', 'journal verify', 0),
    stopped('service', 'journal verify', 0),
  ],
  'journal export': byRootAndService('journal export --csv', 0),
  'journal settlements': byRootAndService('journal settlements --json', 0),
  // The service's user may not read the log of the machine.
  logs: ({ sale }) => byRootAlone(`logs ${sale}`, 0)({} as Placeholders),
  // The service's user can't write root's audit record.
  trace: byRootAlone('trace --for 1s', 0),
  certify: byRootAndService('certify /nowhere/script.json --yes', 1),

  'fleet status': ({ broker }) =>
    broker === undefined
      ? [{ as: 'till', words: 'fleet status --url mqtt://127.0.0.1:9', code: 1 }]
      : [{ as: 'till', words: `fleet status ${broker}`, code: 0 }],
  'fleet sign': () => [{ as: 'till', words: 'fleet sign configuration-7.json --key fleet.key', code: 0 }],
  // Without updates it ends at once.
  'fleet update-agent': byRootAndService('fleet update-agent', 0),

  completion: byRootAndService('completion bash', 0),
};
