import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A part of a saved input, `times` over. */
type Part = ({ readonly text: string } | { readonly hex: string }) & { readonly times?: number };

export interface SavedCase {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Inputs that once broke something: fixtures/fuzz/<target>/<name>.json. */
export function savedCases(target: string): SavedCase[] {
  const folder = new URL(`../../fixtures/fuzz/${target}/`, import.meta.url);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => {
    const { input } = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as { readonly input: readonly Part[] };
    return { name, bytes: Buffer.concat(input.map(bytesOf)) };
  });
}

function bytesOf({ times = 1, ...part }: Part): Buffer {
  const bytes = 'hex' in part ? Buffer.from(part.hex, 'hex') : Buffer.from(part.text);
  return Buffer.concat(Array.from({ length: times }, () => bytes));
}
