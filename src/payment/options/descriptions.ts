import type { ReceiptLanguage } from '../../base/domain/receipt-language.ts';
import type { AnsweredOption } from '../records/answered-option.ts';

/**
 * How a sale option is presented on receipts, in reports and in answers. It reads records only, because the option may
 * not be configured any more.
 */
export interface OptionDescription {
  /** Its name in the journal, in answers and in reports. */
  readonly name: string;
  /** The name of the amount that it adds, for receipts and reports. */
  readonly label: OptionLabel;
  /** Fields of the answer's entry of `options`, besides name and amount. */
  readonly answer?: (answered: AnsweredOption) => Readonly<Record<string, unknown>>;
}

export type OptionLabel = Readonly<Record<ReceiptLanguage, string>>;

/** Every option that this version can describe, configured or not. */
const descriptions = new Map<string, OptionDescription>();

/** Adds an option. Must be called before the terminal starts. */
export function registerOptionDescription(description: OptionDescription): void {
  if (descriptions.has(description.name)) throw new Error(`there is a sale option ${description.name} already`);
  descriptions.set(description.name, description);
}

/** Its name on receipts. An option that this version does not have is printed by its name in the journal. */
export function optionLabel(name: string): OptionLabel {
  return descriptions.get(name)?.label ?? { en: name, 'zh-Hant': name };
}

/** The fields that an option gives to the answer. */
export function optionFields(answered: AnsweredOption): Readonly<Record<string, unknown>> {
  return descriptions.get(answered.name)?.answer?.(answered) ?? {};
}
