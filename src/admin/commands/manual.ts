import { type Argument, argumentText, callText, type Command, groups, type Option } from './command.ts';
import { capitalized, exitsOf } from './help.ts';
import { commands } from './table.ts';

/** poid(8), as man(7) reads it. `date`: of the release, YYYY-MM-DD. */
export function manualPage(version: string, date: string): string {
  const sections = Object.entries(groups).map(([group, title]) => {
    const own = commands.filter((each) => each.group === group);
    return `.SH ${quoted(title.toUpperCase())}\n${own.map(commandSection).join('')}`;
  });
  return `.TH POID 8 ${quoted(date)} ${quoted(`poid ${version}`)}
.SH NAME
poid \\- payment service of a Linux card terminal
.SH SYNOPSIS
.B poid
.I COMMAND
.RI [ FLAGS ]
.RI [ ARGUMENTS ]
.br
.B poid
.RI [ COMMAND ]
.B \\-\\-help
.br
.B poid \\-\\-version
.SH DESCRIPTION
A point of sale posts a payment. The terminal takes a card, a wallet code, Octopus, EPS or cash, authorizes it with the
acquirer's host, prints and answers.
systemd runs
.B poid run
as
.BR poid.service .
The commands below start it, set it up, look after it, and play a point of sale against it.
${sections.join('')}.SH FILES
.TP
.I /etc/poid/poid.json
The configuration.
.TP
.IR /etc/credstore.encrypted/poid.sealed\\-keys ,\\  /etc/credstore/poid.keys
The keys that the configuration names, encrypted for this machine or readable by root alone.
.TP
.IR /etc/poid/serial\\-number ,\\  /var/lib/poid\\-admin/audit.jsonl
The terminal's serial number, and who did what to it and when. Both outlive a factory reset, and the service can change neither.
.TP
.I /var/lib/poid
The journal of payments. It is the shop's money: back it up, and never put an older copy back.
.SH SEE ALSO
.BR systemctl (1),
.BR journalctl (1)
`;
}

/** poid-sim(8): the same simulator as a package of its own. */
export function simulatorPage(version: string, date: string): string {
  const sim = commands.find(({ name }) => name === 'sim');
  return `.TH POID\\-SIM 8 ${quoted(date)} ${quoted(`poid ${version}`)}
.SH NAME
poid\\-sim \\- hardware simulator of the poid payment service
.SH SYNOPSIS
.B poid\\-sim
.RI [ FLAGS ]
.SH DESCRIPTION
Plays card reader, PIN pad, scanner, Octopus reader, printer and the hosts of the acquirers. It writes
.IR poid.json ,
a configuration of a terminal with them, to its directory. systemd runs it as
.BR poid\\-sim.service .
It has published test keys and test cards only.
.SH FLAGS
${(sim?.options ?? []).map(flagParagraph).join('')}.SH FILES
.TP
.I /var/lib/poid\\-sim/poid.json
The configuration that the service writes.
.SH SEE ALSO
.BR poid (8)
`;
}

function commandSection(command: Command): string {
  const { what, more = [], takes = [], options = [], examples } = command;
  const lines = [`.SS ${quoted(`poid ${callText(command)}`)}`, line(`${capitalized(what)}.`)];
  for (const each of more) lines.push('.PP', line(each));
  lines.push(...takes.map(argumentParagraph), ...options.map(flagParagraph).map((each) => each.trimEnd()));
  for (const [example, why] of examples)
    lines.push('.PP', '.nf', `.B ${quoted(example)}`, '.fi', '.RS', line(why), '.RE');
  const exits = exitsOf(command).map(([code, meaning]) => `${code} ${meaning}`);
  lines.push('.PP', line(`Exit status: ${exits.join('; ')}.`));
  return `${lines.join('\n')}\n`;
}

function argumentParagraph(argument: Argument): string {
  return `.TP\n.I ${quoted(argumentText(argument))}\n${line(withChoices(argument))}`;
}

function flagParagraph(option: Option): string {
  const { flag, value, mayBeAlone } = option;
  const shown = `\\fB\\-\\-${plain(flag)}\\fR`;
  const name = value === undefined ? shown : `${shown} ${mayBeAlone ? `[\\fI${value}\\fR]` : `\\fI${value}\\fR`}`;
  return `.TP\n${name}\n${line(withChoices(option))}\n`;
}

function withChoices({ what, choices }: { readonly what: string; readonly choices?: readonly string[] }): string {
  return `${capitalized(what)}${choices ? ` (${choices.join(', ')})` : ''}.`;
}

/** A line of text: none of its characters is a request. */
function line(text: string): string {
  const safe = plain(text);
  return /^[.'\\]/.test(safe) ? `\\&${safe}` : safe;
}

function plain(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('~', '\\(ti').replaceAll('’', '\\(cq');
}

function quoted(text: string): string {
  return `"${plain(text).replaceAll('"', '""')}"`;
}
