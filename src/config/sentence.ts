import type * as z from 'zod';
import { nearestWord } from '../base/domain/nearest-word.ts';

type Issue = z.core.$ZodRawIssue;

const nouns: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a section in braces',
  record: 'a section in braces',
  array: 'a list in brackets',
  null: 'null',
};

/**
 * What a setting must be, as the rest of a sentence after its path. It never repeats a value: that could be a key. Undefined: the setting
 * says it itself.
 */
export function sentenceOf(issue: Issue): string | undefined {
  const { code, input } = issue;
  if (input === undefined) return 'is missing';
  if (code === 'invalid_type') return `must be ${nounOf(issue.expected)}${given(issue.expected, input)}`;
  if (code === 'invalid_value') return `must be ${choiceOf(issue.values, input)}`;
  if (code === 'too_small') return tooSmall(issue.origin, issue.minimum);
  if (code === 'too_big') return `must ${amountOf(issue.origin, issue.maximum, 'at most')}`;
  return undefined;
}

function nounOf(type: string): string {
  return nouns[type] ?? type;
}

function given(expected: string, input: unknown): string {
  const type = input === null ? 'null' : Array.isArray(input) ? 'array' : typeof input;
  return expected === 'int' && type === 'number' ? '' : `, not ${nounOf(type)}`;
}

function choiceOf(values: readonly unknown[], input: unknown): string {
  const words = values.map(String);
  const meant = typeof input === 'string' ? nearestWord(input, words) : undefined;
  const all = words.length === 1 ? words.join() : `one of ${words.join(', ')}`;
  return meant === undefined || words.length === 1 ? all : `${all}; did you mean ${meant}?`;
}

function tooSmall(origin: string, least: number | bigint): string {
  if (Number(least) === 1 && (origin === 'string' || origin === 'array')) return 'must not be empty';
  return `must ${amountOf(origin, least, 'at least')}`;
}

function amountOf(origin: string, limit: number | bigint, bound: 'at least' | 'at most'): string {
  if (origin === 'string') return `have ${bound} ${limit} characters`;
  if (origin === 'array') return `have ${bound} ${limit} entries`;
  return `be ${bound} ${limit}`;
}
