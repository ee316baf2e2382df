import { codeWords, currencyWords, messageWords } from './explain-words.ts';
import type { Played } from './schedule.ts';

interface Line {
  readonly at: string;
  readonly actor: string;
  readonly text: string;
  /** An event of the world itself: crashes, clocks, faults of lines and disks. */
  readonly isWorld: boolean;
}

const line = /^ *(?<ms>\d+\.\d+) (?<rest>.*)$/s;
const counted = /^-- (?<name>[^:]*)(?:: (?<detail>.*))?$/s;
const spoken = /^(?<actor>[A-Za-z0-9][A-Za-z0-9 >-]*?): (?<text>.*)$/s;
const world = ['daemon', 'clock', 'world', 'disk', 'line'];

/**
 * A run as a story: every message with sender, receiver, amounts and codes in words, in order. If the faults name
 * transactions, only the messages of those, and the events of the machine meanwhile.
 */
export function explained({ seed, faults, trace }: Played): string[] {
  const lines = trace.map(readable);
  const keys = keysOf(faults, trace);
  const reported: string[] = [];
  let left = 0;
  for (const [index, { at, actor, text, isWorld }] of lines.entries()) {
    const raw = trace[index] ?? '';
    if (!(isWorld || actor === '!!' || keys.length === 0 || keys.some((key) => raw.includes(key)))) {
      left += 1;
      continue;
    }
    if (left > 0) reported.push(`${''.padStart(10)}  ${''.padEnd(18)}  (${left} of other matters)`);
    left = 0;
    reported.push(`${at}  ${actor.padEnd(18)}  ${text}`);
  }
  const heading =
    faults.length === 0 ? [`seed ${seed}: nothing is wrong`] : [`seed ${seed}:`, ...faults.map((each) => `  ${each}`)];
  return [...heading, '', ...reported, '', ...heading];
}

function readable(text: string): Line {
  const { ms = '0', rest = text } = line.exec(text)?.groups ?? {};
  const at = clockText(Number(ms));
  if (rest.startsWith('!! ')) return { at, actor: '!!', text: rest.slice(3), isWorld: true };
  if (rest.startsWith('== ')) return { ...said(rest.slice(3)), at, isWorld: true };
  const { name, detail = '' } = counted.exec(rest)?.groups ?? {};
  if (name === undefined) return { ...said(rest), at };
  const line_ = spoken.test(detail)
    ? said(detail)
    : { actor: 'world', text: `${name}${detail && `: ${detail}`}`, isWorld: true };
  return { ...line_, at };
}

function said(text: string): Omit<Line, 'at'> {
  if (text.startsWith('commit ')) return { actor: 'journal', text: `writes ${text.slice(7)}`, isWorld: false };
  const { actor = '', text: words = text } = spoken.exec(text)?.groups ?? {};
  return { actor, text: currencyWords(codeWords(actor, messageWords(words))), isWorld: world.includes(actor) };
}

/** Keys that find the log lines of the faults' transactions: id, message, trace numbers, related transactions. */
function keysOf(faults: readonly string[], trace: readonly string[]): string[] {
  const ids = new Set(faults.flatMap((fault) => fault.match(/\b[0-9A-HJKMNP-TV-Z]{8}\b/g) ?? []));
  for (const text of trace) {
    const of = /POS-\d: M-\d+ \w+ of (?<original>\w{8})/.exec(text)?.groups?.['original'];
    const message = /POS-\d: (?<message>M-\d+) /.exec(text)?.groups?.['message'];
    if (of === undefined || message === undefined) continue;
    const own = trace
      .map((each) => new RegExp(`commit accepted ${message} \\w+ (\\w{8})`).exec(each)?.[1])
      .find(Boolean);
    if (own && ids.has(own)) ids.add(of);
    else if (own && ids.has(of)) ids.add(own);
  }
  const keys = new Set(ids);
  // For a fault of a batch: all lines about it.
  for (const fault of faults) {
    const host = /^I9: .* at (\w+) is in/.exec(fault)?.[1];
    if (host) for (const key of ['05', '03']) keys.add(`${host}: ${key}`).add(`${host} host: ${key}`);
    if (fault.startsWith('I9')) keys.add('commit settled').add('told of the settlement').add('batch settled');
  }
  for (const id of ids) {
    for (const text of trace) {
      const accepted = new RegExp(`commit accepted (\\S+) \\w+ ${id}`).exec(text)?.[1];
      if (accepted) keys.add(`${accepted} `).add(`${accepted}:`);
      const intent = new RegExp(`commit intent \\w+ (\\w+) (\\d+) ${id}`).exec(text);
      if (intent) keys.add(`trace ${intent[2]?.padStart(6, '0')}`).add(`trace ${intent[2]} `);
    }
  }
  return [...keys];
}

function clockText(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}.${(seconds % 1).toFixed(1).slice(2)}`;
}
