import type { Answered } from '../transaction/machine.ts';
import { type CollectFailure, collectConclusion } from '../transaction/decide.ts';

/** Collecting is over, and nothing was asked of any host. */
export function endCollecting(failure: CollectFailure): Extract<Answered, { kind: 'ended' }> {
  return { kind: 'ended', conclusion: collectConclusion(failure) };
}
