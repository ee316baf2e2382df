import { appendFileSync } from 'node:fs';
import { reasons } from '../../src/base/domain/reason.ts';

const file = process.env['POID_REPORTED_REASONS'];
const noted = new Set<string>();

/** Notes that this reason was told by what runs here, for the list that `npm test` compares with docs/pos.md. */
export function noteReason(reason: unknown): void {
  if (file === undefined || typeof reason !== 'string' || noted.has(reason) || !Object.hasOwn(reasons, reason)) return;
  noted.add(reason);
  appendFileSync(file, `${reason}\n`);
}

/** Those of an answer: its own, and those of its parts. */
export function noteReasons(answer: unknown): void {
  if (typeof answer !== 'object' || answer === null) return;
  for (const [key, value] of Object.entries(answer)) {
    if (key === 'reason') noteReason(value);
    else noteReasons(value);
  }
}
