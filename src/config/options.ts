import { signatureSettings } from '../options/signature/settings.ts';
import { tipSettings } from '../options/tip/settings.ts';
import { mergeShapes } from './settings-part.ts';

/** The settings of the sale options, in the order of the documentation. A new option is a line here. */
export const optionSettings = [tipSettings, signatureSettings] as const;

export const optionSections = mergeShapes(optionSettings.map(({ sections }) => sections));
export const optionRules = mergeShapes(optionSettings.map(({ rules }) => rules));
export const optionTimeouts = mergeShapes(optionSettings.map(({ timeouts }) => timeouts));
