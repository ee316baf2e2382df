import { fstatSync } from 'node:fs';

/** syslog(3): severities. pino's levels on the left. */
const severities: Readonly<Record<number, number>> = { 20: 7, 30: 6, 40: 4, 50: 3, 60: 2 };

/**
 * Whether this file descriptor is journald's: systemd names the device and inode of the stream that it has connected
 * (systemd.exec(5), JOURNAL_STREAM). If a shell has redirected it, no prefix may be written.
 */
export function isJournalStream(descriptor: number, environment: NodeJS.ProcessEnv = process.env): boolean {
  const stream = environment['JOURNAL_STREAM'];
  if (!stream) return false;
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  return stream === `${dev}:${ino}`;
}

/** The prefix that journald reads as the priority of a line (sd-daemon(3)). */
export function journalPrefix(pinoLevel: number): string {
  return `<${severities[pinoLevel] ?? 6}>`;
}
