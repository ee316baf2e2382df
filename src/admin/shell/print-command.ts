import { text as readAll } from 'node:stream/consumers';
import { readFileSync } from 'node:fs';
import type { Answer } from '../../pos/client/client.ts';
import { UsageError } from '../../base/usage-error.ts';
import { ask } from './asked.ts';
import { Till, textOf, type TillFlags } from './till.ts';
import { TillError } from './till-error.ts';
import { shown } from './shown.ts';

/** The most characters of a line of text (docs/pos.md). */
const lineMax = 256;

/** `poid print [FILE]`: a text of the till's, or with --receipt and --report the terminal's own paper. */
export async function print(flags: TillFlags, [file]: readonly string[]): Promise<number> {
  const [transaction, isReport] = [textOf(flags, 'receipt'), flags['report'] === true];
  if ([file, transaction, isReport || undefined].filter((each) => each !== undefined).length !== 1)
    throw new UsageError('print takes a FILE, --receipt TRANSACTION, or --report');
  const till = new Till(flags);
  if (transaction !== undefined) {
    const body = { terminalTransactionId: transaction, output: 'PRINT', copy: textOf(flags, 'copy') };
    return ask(till, flags, { method: 'POST', path: '/sp/v1/receipt', body }, () => 'the receipt is at the printer');
  }
  const identity = till.identity(textOf(flags, 'id'));
  if (isReport) {
    const batch = textOf(flags, 'batch');
    const body = {
      ...identity,
      acquirer: textOf(flags, 'acquirer')?.toUpperCase(),
      batch: batch === undefined ? undefined : batchNumber(batch),
      merchantId: textOf(flags, 'merchant'),
    };
    return ask(till, flags, { method: 'POST', path: '/sp/v1/report/print', body }, printText);
  }
  const text = file === '-' ? await readAll(process.stdin) : readFile(file ?? '');
  const body = { ...identity, lines: [...linesOf(text), { type: 'cut' }] };
  return ask(till, flags, { method: 'POST', path: '/sp/v1/print', body }, printText);
}

function printText({
  printStatus,
  printFault,
  text,
}: Answer & { printStatus?: unknown; printFault?: unknown }): string {
  if (printStatus === 'PRINTED') return 'printed';
  return [`waits for the printer${printFault === undefined ? '' : ` (${shown(printFault)})`}`, text?.en ?? '']
    .join('\n')
    .trim();
}

/** A line of three dashes or more is a rule from edge to edge. */
function linesOf(text: string): object[] {
  const lines = text.replace(/\n$/, '').split(/\r?\n/);
  const long = lines.findIndex((line) => line.length > lineMax);
  if (long >= 0) throw new UsageError(`line ${long + 1} has more than ${lineMax} characters`);
  return lines.map((line) =>
    /^-{3,}$/.test(line) ? { type: 'rule' } : { type: 'text', text: line.replaceAll('\t', '    ') },
  );
}

function batchNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new UsageError('--batch takes a number of at most six digits');
  return Number(text);
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new TillError(`${file} can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
