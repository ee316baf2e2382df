import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Decoded, Field } from '../../../hw-sim/wires/frame.ts';

const list = z.array(z.looseObject({ name: z.string(), hex: z.string() }));

/** The bytes of a vector of fixtures/. */
export function vector(file: string, name: string): Buffer {
  const parsed: unknown = JSON.parse(readFileSync(new URL(`../../../fixtures/${file}`, import.meta.url), 'utf8'));
  const { frames, messages } = z
    .looseObject({ frames: list.optional(), messages: list.optional() })
    .catch({})
    .parse(parsed);
  const found = (frames ?? messages ?? list.parse(parsed)).find((each) => each.name === name);
  if (!found) throw new Error(`${file} has no ${name}`);
  return Buffer.from(found.hex, 'hex');
}

/** Each field as a line, 'name = value (meaning)', and those inside one with two blanks before. */
export function shownFields({ fields }: Decoded): string[] {
  return fields.flatMap((each) => lines(each, ''));
}

function lines({ name, value, meaning, fields = [] }: Field, indent: string): string[] {
  const line = `${indent}${name}${value === '' ? '' : ` = ${value}`}${meaning === undefined ? '' : ` (${meaning})`}`;
  return [line, ...fields.flatMap((each) => lines(each, `${indent}  `))];
}

/** Bytes of the frame that no field covers, as positions. */
export function uncovered(payload: Buffer, { fields }: Decoded): number[] {
  const covered = new Set(fields.flatMap(({ at, length }) => Array.from({ length }, (_, index) => at + index)));
  return Array.from(payload, (_, at) => at).filter((at) => !covered.has(at));
}
