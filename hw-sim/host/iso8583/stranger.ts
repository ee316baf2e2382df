import type { Inclination } from './inclination.ts';
import type { Message } from './message.ts';
import type { Refusal } from './verdict.ts';

/** 03: invalid merchant. 89: bad terminal id. A host looks for both before it reads what the message asks for. */
export function strangerOf({ fields }: Message, { terminals, merchants }: Inclination): Refusal | undefined {
  const isStrange = (field: number, known: readonly string[] | undefined) =>
    known !== undefined && !known.includes((fields.get(field) ?? '').trim());
  if (isStrange(42, merchants)) return { refused: '03' };
  return isStrange(41, terminals) ? { refused: '89' } : undefined;
}
