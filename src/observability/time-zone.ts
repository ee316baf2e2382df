import { existsSync, readlinkSync } from 'node:fs';
import { canonicalTimeZone } from '../base/domain/time-zone.ts';
import type { Log } from './log.ts';

const ownZoneFile = '/etc/localtime';
const zoneFiles = '/usr/share/zoneinfo';

export interface FoundZone {
  /** A canonical name. */
  readonly zone: string;
  /** Why it is UTC although another zone was configured. */
  readonly fault?: string;
}

let fault: string | undefined;

/**
 * Makes one zone that of the process, so that Date, Intl and every format agree: `configured`, a canonical name, else
 * the one that TZ or the machine has. Returns why UTC takes its place, if it does.
 */
export function adoptTimeZone(configured: string | undefined): string | undefined {
  fault = undefined;
  if (configured !== undefined) process.env['TZ'] = configured;
  // Loading the names of all zones takes a tenth of the start.
  else if (process.env['TZ'] !== undefined || !isVouchedFor()) {
    const found = findTimeZone(process.env['TZ']);
    process.env['TZ'] = found.zone;
    fault = found.fault;
  }
  return fault;
}

/** Makes the shop's time zone that of the process, and logs a zone that can't be used. */
export function adoptShopZone({ timeZone }: { readonly timeZone?: string | undefined }, log: Pick<Log, 'warn'>): void {
  const reason = adoptTimeZone(timeZone);
  if (reason !== undefined) log.warn('clock', { reason });
}

/** The zone of the process, after `adoptTimeZone`. */
export function readTimeZone(): FoundZone {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return fault === undefined ? { zone } : { zone, fault };
}

/**
 * The terminal's IANA time zone, determined at the first use: the first format of dates loads 8 MiB of Node's data, and
 * takes a tenth of the start.
 */
export function lazyTimeZone(): { readonly timeZone: string } {
  let known: string | undefined;
  return {
    get timeZone() {
      known ??= readTimeZone().zone;
      return known;
    },
  };
}

/**
 * The zone that a value of TZ means, or without one the machine's. Reads Date, so the value must be that of the
 * process. A rule of POSIX without a name of a zone ('HKT-8') is taken if it is a whole number of hours all year.
 */
export function findTimeZone(variable: string | undefined, link = machineLink()): FoundZone {
  // localtime(5): without the file it is UTC.
  if (variable === undefined || isMachines(variable)) {
    return judgeZone(
      link === '' ? 'UTC' : ofFile(link),
      `the time zone of this machine (${ownZoneFile}) is not known`,
      true,
    );
  }
  return judgeZone(ofFile(variable.replace(/^:/, '')), 'the environment variable TZ names no time zone', false);
}

/** ':/etc/localtime' means the machine's zone. */
function isMachines(variable: string): boolean {
  return variable.replace(/^:/, '') === ownZoneFile;
}

function judgeZone(zone: string | undefined, what: string, isMachine: boolean): FoundZone {
  const known = zone ?? (isMachine ? machineName() : undefined) ?? wholeHours();
  if (known !== undefined) return { zone: known };
  return { zone: 'UTC', fault: `${what}: dates are in UTC until the configuration has a timeZone` };
}

function ofFile(name: string): string | undefined {
  // POSIX's notation.
  if (/^(?:UTC|GMT)[+-]?0$/.test(name)) return 'UTC';
  return canonicalTimeZone(name.replace(/^.*zoneinfo\//, '').replace(/^(?:posix|right)\//, ''));
}

/** A file instead of a link has no name: Intl compares it with all files of tzdata. */
function machineName(): string | undefined {
  delete process.env['TZ'];
  // At runtime it is undefined where the zone has no name.
  return canonicalTimeZone(new Intl.DateTimeFormat().resolvedOptions().timeZone);
}

/**
 * Etc/GMT-8 is eight hours ahead: its sign is that of POSIX. Undefined also for UTC, because an unknown zone becomes
 * UTC.
 */
function wholeHours(): string | undefined {
  const year = new Date().getUTCFullYear();
  const offsets = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(year, month, 15)).getTimezoneOffset());
  const [offset = 0] = offsets;
  if (offset === 0 || offset % 60 !== 0 || offsets.some((each) => each !== offset)) return undefined;
  return canonicalTimeZone(`Etc/GMT${offset > 0 ? '+' : '-'}${Math.abs(offset) / 60}`);
}

/** Where /etc/localtime leads; empty if there is none, '?' if it is no link. */
function machineLink(): string {
  try {
    return readlinkSync(ownZoneFile);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? '' : '?';
  }
}

/** Whether the machine's zone is one that tzdata has under a name that every library takes. */
function isVouchedFor(): boolean {
  const link = machineLink();
  if (link === '') return true;
  const [, name] = /zoneinfo\/((?:[A-Z]\w+)\/[\w/+-]+)$/.exec(link) ?? [];
  return name !== undefined && existsSync(`${zoneFiles}/${name}`);
}
