/**
 * Every file that the product writes, or that its documents have a technician install: where, and how it is kept and
 * removed. Add a line here for every new file: `poid factory-reset` and the tables of docs/operations.md are made of
 * these, and a test compares them with the files that exist after a day with every function
 * (test/e2e/written-files.test.ts).
 */
interface WrittenFile {
  /** Absolute; `*` is any part of a name. With a slash at the end: a directory with all that is in it. */
  readonly place: string;
  readonly what: string;
  readonly owner: 'poid' | 'root' | 'both';
  /** Whose data it holds. */
  readonly holds: 'shop' | 'terminal' | 'machine';
  readonly reset: 'removed' | 'kept';
  /** The part that a fleet's extract reads. A backup copies the whole state directory. */
  readonly extract?: true;
  /** Only where an image was flashed: elsewhere it belongs to the machine's administrator. */
  readonly onImage?: true;
}

export const stateDirectory = '/var/lib/poid';
const removed = { owner: 'poid', holds: 'shop', reset: 'removed' } as const;
const administered = { owner: 'root', holds: 'shop', reset: 'removed' } as const;
const terminals = { owner: 'root', holds: 'terminal', reset: 'kept' } as const;

export const writtenFiles = [
  { place: '/var/lib/poid/journal.db', what: 'the journal of payments', ...removed, extract: true },
  { place: '/var/lib/poid/journal.db-*', what: 'its latest commits, and an index of them', ...removed },
  { place: '/var/lib/poid/journal.state', what: 'how far the journal was', ...removed },
  { place: '/var/lib/poid/archive-*.jsonl.gz', what: 'payments of earlier months', ...removed, extract: true },
  { place: '/var/lib/poid/drawer.jsonl*', what: 'who opened the cash drawer', ...removed },
  { place: '/var/lib/poid/operator.json', what: 'the hash of the operator’s password', ...removed },
  { place: '/var/lib/poid/operator.jsonl*', what: 'what the operator did', ...removed },
  { place: '/var/lib/poid/traces.jsonl*', what: 'who traced the card lines, and when', ...removed },
  { place: '/var/lib/poid/trace.sock', what: 'where a running terminal takes requests for a trace', ...removed },
  { place: '/var/lib/poid/pairings.json', what: 'the keys of paired points of sale', ...removed },
  { place: '/var/lib/poid/pairings.revoked', what: 'which pairings were revoked', ...removed },
  { place: '/var/lib/poid/nexo.jsonl', what: 'which nexo messages came last', ...removed },
  { place: '/var/lib/poid/tls.pem', what: 'key and certificate of HTTPS', ...removed },
  { place: '/var/lib/poid/acquirers.json', what: 'the acquirers’ settings in use, without keys', ...removed },
  { place: '/var/lib/poid/fleet.json', what: 'the configuration that the fleet has sent', ...removed },
  { place: '/var/lib/poid/fleet-keys.json', what: 'the fleet’s keys in force', ...removed },
  {
    place: '/var/lib/poid/fleet-keys.dropped',
    what: 'which of the fleet’s keys were dropped',
    ...terminals,
    owner: 'poid',
  },
  {
    place: '/var/lib/poid/key-counters.json',
    what: 'which keys of authentication codes are used up',
    ...terminals,
    owner: 'poid',
  },
  { place: '/var/lib/poid/*.new', what: 'a file that a power cut left unfinished', ...removed, owner: 'both' },
  { place: '/etc/poid/serial-number', what: 'the serial number', ...terminals },
  { place: '/var/lib/poid-admin/audit.jsonl', what: 'who provisioned or reset the terminal, and when', ...terminals },
  {
    place: '/var/lib/poid-admin/fleet-keys.dropped',
    what: 'which of the fleet’s keys root has seen dropped',
    ...terminals,
  },
  { place: '/var/lib/poid-admin/removed.*', what: 'what was unsettled when the package was removed', ...administered },
  { place: '/var/lib/poid-admin/factory-reset.begun', what: 'there while a reset is not finished', ...administered },
  {
    place: '/etc/poid/',
    what: 'configuration and its copies, certificates and keys, logos, maintenance window',
    ...administered,
  },
  { place: '/etc/credstore/poid.*', what: 'acquirers’ keys and hawkBit’s token, not encrypted', ...administered },
  { place: '/etc/credstore.encrypted/poid.*', what: 'the same, encrypted for this machine', ...administered },
  { place: '/etc/avahi/services/poid.service*', what: 'the announcement', ...administered },
  { place: '/var/lib/poid-update/', what: 'the update under way, and its bundle', ...administered },
  {
    place: '/var/log/journal/',
    what: 'the log of the machine, the terminal’s with it',
    ...administered,
    extract: true,
  },
  { place: '/etc/systemd/network/', what: 'addresses other than by DHCP', ...administered, onImage: true },
  { place: '/etc/chrony/sources.d/', what: 'time servers other than by DHCP', ...administered, onImage: true },
  { place: '/var/cache/poid/', what: 'whether the snapshot of the start-up fits', ...terminals, owner: 'poid' },
  { place: '/var/lib/poid-sim/', what: 'configuration of the simulator', ...terminals, owner: 'poid' },
  { place: '/usr/lib/poid/dist/start-*.blob', what: 'the snapshot of the start-up', ...terminals },
  {
    place: '/tmp/poid-journal-*/',
    what: 'a copy of the journal that a killed `poid journal` left',
    ...removed,
    owner: 'both',
  },
  { place: '/etc/hostname', what: 'the terminal’s name', ...terminals },
  { place: '/state/accepted*', what: 'which version of an image was accepted', ...terminals, onImage: true },
  {
    place: '/var/lib/systemd/',
    what: 'the machine’s own key, with which keys are encrypted',
    ...terminals,
    holds: 'machine',
  },
  { place: '/etc/machine-id', what: 'the machine’s number', ...terminals, holds: 'machine' },
] as const satisfies readonly WrittenFile[];

type StatePlace = Extract<(typeof writtenFiles)[number]['place'], `${typeof stateDirectory}/${string}`>;
type NameIn<Place> = Place extends `${typeof stateDirectory}/${infer Name}` ? Name : never;
type WithoutStar<Name> = Name extends `${infer Begin}*` ? Begin : Name;
/** A file in the state directory, by its name in the table above. */
export type StateFileName = WithoutStar<NameIn<StatePlace>>;

/** The path of a file in a state directory. The compiler knows no name that is not in the table. */
export function inState(stateDir: string, name: StateFileName): string {
  return `${stateDir.replace(/(?<=.)\/+$/, '')}/${name}`;
}

/** The line of the table for this path of the machine; the first that fits. Undefined if it is not registered. */
export function writtenFileAt(file: string): WrittenFile | undefined {
  return writtenFiles.find(({ place }) => patternOf(place).test(file));
}

function patternOf(place: string): RegExp {
  const escaped = place.replace(/[.]/g, '\\.').replaceAll('*', '[^/]*');
  return new RegExp(place.endsWith('/') ? `^${escaped.slice(0, -1)}(?:/.*)?$` : `^${escaped}$`);
}
