import { stateDirectory, writtenFiles } from '../../../src/base/domain/written-files.ts';

/** What the service's user puts in the place of each file of its directory. */
export const traps = ['link', 'directoryLink', 'fifo', 'directory', 'huge', 'swapping'] as const;
export type Trap = (typeof traps)[number];

/** all: every name. beside: there is no journal, and what a command reads first is valid, so it continues to its writes. */
export const scopes = ['all', 'beside'] as const;
export type Scope = (typeof scopes)[number];

/** The files of the state directory by the table of all that is written, without those of the journal. */
const written = writtenFiles
  .flatMap(({ place }) => (place.startsWith(`${stateDirectory}/`) ? [place.slice(stateDirectory.length + 1)] : []))
  .filter((name) => !name.startsWith('journal.') && !name.startsWith('*'))
  .map((name) => name.replace(/\*$/, '').replace('*', '2026-01'));
/** A command ends if it can't read them. */
const readFirst = ['pairings.json', 'fleet-keys.dropped'];
/** Files of former versions and of other directories. */
const others = [
  'operator.jsonl.1',
  'audit.jsonl',
  'serial-number',
  'factory-reset.begun',
  'removed.settled',
  'removed.unsettled',
];
const halfWritten = ['serial-number.new', 'factory-reset.begun.new', 'audit.jsonl.new'];
const beside = [...written.filter((name) => !readFirst.includes(name)), ...others, ...halfWritten];

/** Run as the service's user: $1 the trap, $2 the scope. Whoever follows what it plants changes /victim. */
export const plant = String.raw`#!/usr/bin/perl
use strict; use POSIX ();
my ($trap, $scope) = @ARGV;
my $dir = '/var/lib/poid';
system 'sh', '-c', "rm -rf $dir/* $dir/.[!.]*";
my @journal = map { "journal.$_" } qw(db db-wal db-shm state state.new);
my @beside = (qw(${beside.join(' ')}),
  map { my $pid = $_; map { "$_.$pid-1.new" } qw(operator.json pairings.json fleet.json) } $$ .. $$ + 200);
my @names = $scope eq 'all' ? (@journal, qw(${readFirst.join(' ')}), @beside) : @beside;
if ($scope eq 'beside') {
  open my $file, '>', "$dir/pairings.json";
  print $file '[{"posId":"POS-1","keyId":"aa","key":"' . ('ab' x 32) . '","pairedAt":"2026-01-01T00:00:00Z"}]';
}
for my $name (@names) {
  my $file = "$dir/$name";
  if ($name eq 'journal.db' && $trap =~ /^(link|swapping)$/) { symlink '/victim/journal.db', $file }
  elsif ($trap eq 'link' || $trap eq 'swapping') { symlink '/victim/shadow', $file }
  elsif ($trap eq 'directoryLink') { symlink '/victim', $file }
  elsif ($trap eq 'fifo') { POSIX::mkfifo($file, 0600) }
  elsif ($trap eq 'directory') { mkdir $file; symlink '/victim', "$file/inside" }
  elsif ($trap eq 'huge') { next if $name =~ /new$/; open my $huge, '>', $file; truncate $huge, 1 << 40 }
}
# Links that come and go, until the command has ended.
if ($trap eq 'swapping') {
  my $until = time + 60;
  while (time < $until && ! -e '/run/over') {
    for my $name (grep { !/\.\d+-1\.new$/ } @names) {
      unlink "$dir/$name"; open my $file, '>', "$dir/$name"; close $file;
      symlink $name eq 'journal.db' ? '/victim/journal.db' : '/victim/shadow', "$dir/.swap"; rename "$dir/.swap", "$dir/$name";
    }
  }
}
`;

/** The compile cache, forged: code of the service's own, which Node takes for the program's (its CRC-32 is compared with the source's). */
export const forge = String.raw`import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
const [program, work, cache, ...flags] = process.argv.slice(2);
const source = readFileSync(program, 'utf8');
const code = "import{writeFileSync as w}from'node:fs';w(process.getuid()===0?'/run/executed':'/var/lib/poid/executed','');";
mkdirSync(work + '/m', { recursive: true });
writeFileSync(work + '/m/package.json', '{"type":"module"}');
writeFileSync(work + '/m/cli.js', code.padEnd(source.length, ' '));
const compile = (file, into) => {
  execFileSync(process.execPath, [...flags, file, '--version'], { env: { NODE_COMPILE_CACHE: into } });
  const [tag] = readdirSync(into);
  return { tag, entries: readdirSync(into + '/' + tag).map((name) => [name, readFileSync(into + '/' + tag + '/' + name)]) };
};
const right = compile(program, work + '/right');
const { tag, entries: [[, forged]] } = compile(work + '/m/cli.js', work + '/forged');
const length = Buffer.byteLength(source);
const [name, own] = right.entries.find(([, bytes]) => [length, source.length].includes(bytes.readUInt32LE(4))) ?? right.entries[0];
own.copy(forged, 12, 12, 16);
own.copy(forged, 4, 4, 8);
// Node has one directory for each user.
for (const user of ['0', String(process.getuid())]) {
  const place = cache + '/' + tag.replace(/-\d+$/, '-' + user);
  mkdirSync(place, { recursive: true, mode: 0o700 });
  writeFileSync(place + '/' + name, forged);
}
`;
