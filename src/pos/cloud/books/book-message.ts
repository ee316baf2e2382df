import type { Change } from '../../../payment/contracts/changes.ts';

/** A change as the sink keeps it: the transaction or the settlement as it is told now. */
export interface ToldChange {
  readonly record: unknown;
  /** How the transactions that it refers to stand since: a void changes its sale. */
  readonly originals?: readonly { readonly id: string; readonly record: unknown }[];
}

/** `after`: the place of the message before. Whoever has everything up to there misses nothing with this one. */
export function bookMessage(stream: string, after: number, change: Change, told: ToldChange): Uint8Array {
  const { seq, kind, id, at, batch } = change;
  const { record, originals = [] } = told;
  const more = { ...(at === undefined ? {} : { at }), ...(batch === undefined ? {} : { batch }) };
  const message = { stream, seq, after, kind, id, version: seq, ...more, record };
  return Buffer.from(JSON.stringify(originals.length === 0 ? message : { ...message, originals }));
}
