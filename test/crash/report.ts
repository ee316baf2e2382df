import type { CrashReport } from './crashes.ts';

export function reportText(report: CrashReport, ms: number): string {
  const { phases, requests, postings, voids, tips, refunds, wallets, reversals, settlements, undecided } = report;
  const histogram = [...phases]
    .toSorted(([, a], [, b]) => b - a)
    .map(([phase, cuts]) => `${String(cuts).padStart(6)}  ${phase}`);
  return `
Told, kept and charged agree after ${Math.round(ms / 1000)} s: ${requests} requests, ${postings} postings: ${wallets} sales by wallets,
${refunds} refunds; ${voids} voided, ${tips} with an adjusted tip; ${reversals} card postings taken back, ${settlements} settlements on the way. No trace number was given twice.
${undecided} refunds and voids stay unknown, and their host does not have them.
What was open at the cut:
${histogram.join('\n')}`;
}
