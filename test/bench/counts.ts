import { readdirSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import path from 'node:path';
import { preparedStatements } from '../journal/prepared-statements.ts';
import { growingScans } from '../journal/scans.ts';
import type { BenchStage } from './bench-stage.ts';
import type { JournalCounts } from './journal-counter-hook.ts';
import { atMost, type Check, type Report } from './report.ts';
import { openBareCounter, openSimulatedCounter } from './shop-counter.ts';
import { Till } from './till.ts';

/** The first sales of a start read what is open. */
const warmup = 3;
const sales = 20;

/** What is the same in each run, whatever else the machine does. */
export interface Counted {
  readonly messagesPerSale: number;
  readonly framesPerCommit: number;
  /** Plans of the journal's statements that read all of what grows. */
  readonly growing: readonly string[];
  readonly bundleKiB: number;
}

/**
 * A sale's counts, the journal's statements and the bundle. `npm run bench -- --quick` fails where one is above its
 * limit.
 */
export async function counts(stage: BenchStage): Promise<Report> {
  const sold = await countSales(stage);
  const growing = findGrowing(`${stage.fresh('statements')}.db`);
  const bundleKiB = measureBundle(path.join(await stage.installed(), 'dist'));
  const framesPerSale = sold.frames / sales;
  return {
    part: 'counts',
    title: 'What is the same in each run',
    columns: ['', 'count'],
    rows: [
      ...Object.entries(sold.messages).map(([operation, count]): [string, number] => [
        `messages to the journal per sale: ${operation}`,
        count / sales,
      ]),
      ['commits per sale', sold.commits / sales],
      ['frames of SQLite’s log per sale', framesPerSale],
      ['of them KiB', framesPerSale * 4],
      ['JavaScript of the bundle, KiB', bundleKiB],
    ],
    checks: gates({ ...perSale(sold), growing, bundleKiB }),
    notes: [`${sales} sales, ${sold.name}, one after the other; a frame is a page of 4 KiB`, ...growing],
  };
}

/** The limits. What is counted today is below them by less than one more of each would be. */
export function gates({ messagesPerSale, framesPerCommit, growing, bundleKiB }: Counted): Check[] {
  return [
    atMost('messages to the journal per sale', messagesPerSale, 3, { unit: 'messages' }),
    atMost('frames of SQLite’s log per commit', framesPerCommit, 4.9, { unit: 'frames' }),
    atMost('statements of the journal that read all of what grows', growing.length, 0, { unit: 'statements' }),
    atMost('JavaScript of the bundle', bundleKiB, 3_200, { unit: 'KiB' }),
  ];
}

/** Throws where nothing was counted: then the counter is blind, not the journal idle. */
export function perSale({ messages, commits, frames }: JournalCounts): Omit<Counted, 'growing' | 'bundleKiB'> {
  const sent = Object.values(messages).reduce((sum, count) => sum + count, 0);
  if (sent < sales || commits < sales) throw new Error('the journal’s messages and commits can’t be counted');
  return { messagesPerSale: sent / sales, framesPerCommit: frames / commits };
}

async function countSales(stage: BenchStage): Promise<JournalCounts & { readonly name: string }> {
  const native = await stage.native();
  const counter = await (typeof native === 'string'
    ? openSimulatedCounter(stage)
    : openBareCounter(stage, native.reader));
  const hook = new URL('journal-counter-hook.ts', import.meta.url).href;
  const daemon = await stage.daemon({
    configuration: counter.configuration,
    stateDir: stage.fresh('state'),
    env: { NODE_OPTIONS: `--import=${hook}` },
    program: 'sources',
  });
  const till = new Till(daemon.api, counter);
  const ask = () => daemon.ask<JournalCounts>({ askCounts: true });
  for (let each = 0; each < warmup; each++) await till.sell();
  const before = await ask();
  for (let each = 0; each < sales; each++) await till.sell();
  const after = await ask();
  till.close();
  await daemon.stop();
  await counter.close();
  const messages = Object.entries(after.messages)
    .map(([operation, count]) => [operation, count - (before.messages[operation] ?? 0)] as const)
    .filter(([, count]) => count > 0);
  return {
    name: counter.name,
    messages: Object.fromEntries(messages),
    commits: after.commits - before.commits,
    frames: after.frames - before.frames,
  };
}

function findGrowing(file: string): string[] {
  const statements = preparedStatements(file);
  const database = new DatabaseSync(file);
  try {
    return statements.flatMap((sql) => growingScans(database, sql).map((step) => `${step}: ${sql}`));
  } finally {
    database.close();
  }
}

/** What Node reads and compiles; not the pages, the client, nor the maps. */
export function measureBundle(dist: string): number {
  const scripts = readdirSync(dist).filter((name) => name.endsWith('.js') && name !== 'client.js');
  return scripts.reduce((sum, name) => sum + statSync(path.join(dist, name)).size, 0) / 1024;
}
