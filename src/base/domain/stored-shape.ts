import { isMinorDigits } from './amount.ts';

/** Whether a stored value is what every version writes there. */
export type Check = (value: unknown) => boolean;

export const text: Check = (value) => typeof value === 'string';
export const texts: Check = (value) => isObject(value) && Object.values(value).every(text);
/** Minor units as decimal digits. */
export const amount: Check = isMinorDigits;
export const instant: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));

export function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

export function having(fields: Readonly<Record<string, Check>>): Check {
  const entries = Object.entries(fields);
  return (value) => isObject(value) && entries.every(([name, check]) => check(value[name]));
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
