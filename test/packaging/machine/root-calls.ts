import type { CommandName } from '../../../src/admin/commands/table.ts';

/** A command line of root's, without `poid`. */
export interface RootCall {
  readonly words: string;
  readonly input?: string;
  /** It opens nothing that the service can write: one set of traps is enough. */
  readonly isApart?: true;
}

const apart = (words: string, input = ''): RootCall[] => [{ words, input, isApart: true }];

/** Root's calls of every command, those that remove something last: a command without one is an error. */
export const rootCalls: Readonly<Record<CommandName, readonly RootCall[]>> = {
  run: [{ words: 'run --config /etc/poid/poid.json' }],
  sim: [{ words: 'sim --sim-dir /var/lib/poid-sim --sim-port 0' }],
  'await-idle': apart('await-idle --wait 5'),
  unsettled: [{ words: 'unsettled' }],
  'operator-password': [{ words: 'operator-password', input: '135792\n' }],
  pairings: [{ words: 'pairings' }],
  unpair: [{ words: 'unpair POS-1' }],
  pay: apart('pay 30 --wait 1'),
  refund: apart('refund 10'),
  void: apart('void 01M850XWYMZ8HNEYCK3PDV79HV'),
  enquire: apart('enquire 1 --wait 1'),
  cancel: apart('cancel 1'),
  settle: apart('settle'),
  report: apart('report'),
  transactions: apart('transactions'),
  events: apart('events'),
  status: apart('status'),
  print: apart('print -', 'tea\n'),
  pair: apart('pair /run/pos.key', '\n'),
  provision: [{ words: 'provision --dry-run --force /root/in.json' }, { words: 'provision --force /root/in.json' }],
  'acquirer moved': [{ words: 'acquirer moved EDC' }],
  announce: [{ words: 'announce' }],
  snapshot: apart('snapshot'),
  'config check': apart('config check /etc/poid/poid.json'),
  'config dialect': apart('config dialect EDC --sample sale'),
  'config schema': apart('config schema'),
  'config sample': apart('config sample'),
  selftest: [{ words: 'selftest --unattended' }],
  doctor: [{ words: 'doctor' }],
  devices: apart('devices'),
  'journal list': [{ words: 'journal list' }],
  'journal show': [{ words: 'journal show sold' }],
  'journal verify': [{ words: 'journal verify' }],
  'journal export': [{ words: 'journal export --csv' }],
  'journal settlements': [{ words: 'journal settlements --json' }],
  logs: [{ words: 'logs nobody' }],
  trace: [{ words: 'trace --for 1s' }],
  certify: [{ words: 'certify /nowhere/script.json --yes' }],
  'fleet status': apart('fleet status --url mqtt://127.0.0.1:9'),
  'fleet sign': apart('fleet sign /root/in.json --key /root/none.pem'),
  // It asks until it is ended.
  'fleet update-agent': [{ words: 'fleet update-agent' }],
  completion: apart('completion bash'),
  'factory-reset': [{ words: 'factory-reset --yes TEST-1' }],
};
