// A host's mode as text.
/** @import { Mode } from './types.ts' */

/**
 * The settings that differ from the defaults: 'silent', 'delayMs 500', 'extraFields 44:BDBB 37:'.
 * @type {(mode: Mode) => string[]}
 */
export function modeTexts({ mode = 'up', ...more }) {
  const others = Object.entries(more).map(([name, value]) => (value === true ? name : `${name} ${valueText(value)}`));
  return [...(mode === 'up' ? [] : [mode]), ...others];
}

/** @type {(value: Mode[keyof Mode]) => string} */
export function valueText(value = '') {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? fieldsText(value) : String(value);
}

/**
 * Fields of a message, one without content has no value: '44:BDBB 37:'.
 * @type {(fields: Readonly<Record<string, string | null>>) => string}
 */
function fieldsText(fields) {
  return Object.entries(fields)
    .map(([number, hex]) => `${number}:${hex ?? ''}`)
    .join(' ');
}
