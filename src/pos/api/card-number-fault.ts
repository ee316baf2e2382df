import { showsCardNumber } from '../../base/domain/masking.ts';
import { type PosDetails, posDetailNames } from '../../base/domain/identifiers.ts';
import type { ApiParts } from './call.ts';
import { type InputRefusal, refusal } from './input.ts';

/** A till's own details are stored and printed. Like the lines that it prints, they must not show a card number. */
export function cardNumberFault(
  details: PosDetails,
  { cardNumbers }: Pick<ApiParts, 'cardNumbers'>,
): InputRefusal | undefined {
  if (cardNumbers === 'print') return undefined;
  const name = posDetailNames.find((each) => showsCardNumber(details[each] ?? ''));
  const message = 'must not show a card number';
  return name && refusal('INVALID_PARAMETER', 'cardNumberNotAllowed', `/${name}`, message);
}
