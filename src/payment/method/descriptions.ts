import { knownEntryModes, paymentSchemes } from '../../base/domain/payment-scheme.ts';
import type { Intent } from '../events/intent.ts';
import { instrumentOf } from '../records/payment.ts';
import type { TransactionRecord } from '../records/record.ts';
import { type MethodDescription, type MethodDetails, type MethodLabel, noDetails } from './description.ts';
import { otherDescription } from './other-description.ts';

/** By the name that intents carry. A method that is not configured is described, too. */
const descriptions = new Map<string, MethodDescription>();

/** Adds a method. Must be called before the terminal starts. */
export function registerDescription(description: MethodDescription): void {
  if (descriptions.has(description.name)) throw new Error(`there is a payment method ${description.name} already`);
  descriptions.set(description.name, description);
}

/** Replaces the description of a method by that of this terminal. */
export function adaptDescription(description: MethodDescription): void {
  descriptions.set(description.name, description);
}

/** The picture files of codes that have one. */
export function describedLogos(): ReadonlyMap<string, string> {
  return new Map([...descriptions.values()].flatMap(({ logos = {} }) => Object.entries(logos)));
}

export function descriptionOf(intent: Intent): MethodDescription {
  return descriptions.get(instrumentOf(intent).name) ?? otherDescription;
}

/** The method's details of a record; empty if the record has no intent. */
export function detailsOf(record: TransactionRecord): MethodDetails {
  return record.intent ? descriptionOf(record.intent).describe(record) : noDetails;
}

/** The label of a scheme or an entry mode that only its method can name. */
export function labelOf(code: string): MethodLabel | undefined {
  return [...descriptions.values()].find(({ labels }) => labels && Object.hasOwn(labels, code))?.labels?.[code];
}

/** All codes that an answer may carry in `paymentMethod` and in `entryMode`. */
export function describedCodes(): { readonly schemes: readonly string[]; readonly entryModes: readonly string[] } {
  const all = [...descriptions.values()];
  return {
    schemes: [...new Set([...paymentSchemes, ...all.flatMap(({ schemes }) => schemes)])],
    entryModes: [...new Set([...knownEntryModes, ...all.flatMap(({ entryModes }) => entryModes)])],
  };
}
