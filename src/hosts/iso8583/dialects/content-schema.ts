import * as z from 'zod';
import { prefix } from './format-schema.ts';
import { type ValueName, valueNames } from './values.ts';

/** The names of acquirers[].values. */
export const settingName = z
  .string()
  .regex(/^[a-z][A-Za-z0-9]{0,31}$/, 'a name of letters and digits, such as storeCode');

const names = Object.keys(valueNames) as [ValueName, ...ValueName[]];

const sized = {
  size: z.number().int().min(1).max(999).optional().describe('exactly so many characters or bytes'),
  pad: z.enum(['zeros', 'spaces']).optional().describe('what fills them: zeros before it, or spaces behind it'),
  as: z
    .enum(['ascii', 'ebcdic', 'bcd'])
    .optional()
    .describe('how text or digits become bytes; default: ascii. Bytes in text are hexadecimal'),
  prefix: prefix.optional().describe('a number before it that tells its length'),
} as const;

const constant = z.strictObject({
  constant: z.string().regex(/^[\x20-\x7e]{0,999}$/, 'printable characters'),
  ...sized,
});
const bytes = z.strictObject({ hex: z.string().regex(/^(?:[\dA-Fa-f]{2}){1,255}$/, 'bytes in hexadecimal') });
const value = z.strictObject({ value: z.enum(names), ...sized });
const setting = z.strictObject({ setting: settingName.describe('one of acquirers[].values'), ...sized });

type Atom = ValueName | z.infer<typeof constant | typeof bytes | typeof value | typeof setting>;

export interface Parts {
  readonly parts: readonly Content[];
  readonly prefix?: string | undefined;
}

export interface Objects {
  readonly objects: readonly { readonly tag: string; readonly content: Content }[];
  readonly tags: 'hex' | 'text';
  readonly lengths: string;
}

/** The content of a field: a value, a constant, a setting, or a template of them. */
export type Content = Atom | Parts | Objects;

/** The maximum depth of templates within templates. */
const levelsMax = 4;

function contentOf(levels: number): z.ZodType<Content> {
  const atoms = [z.enum(names), constant, bytes, value, setting] as const;
  if (levels === 0) return z.union(atoms);
  const inner = contentOf(levels - 1);
  const parts = z.strictObject({ parts: z.array(inner).min(1).max(64), prefix: sized.prefix });
  const objects = z.strictObject({
    objects: z
      .array(z.strictObject({ tag: z.string().regex(/^[\x20-\x7e]{1,12}$/, 'one to 12 characters'), content: inner }))
      .min(1)
      .max(64),
    tags: z.enum(['hex', 'text']).describe('whether a tag is bytes in hexadecimal, or text'),
    lengths: z.union([z.literal('ber'), prefix]).describe('the length of each object: ber, or as a prefix'),
  });
  return z.union([...atoms, parts, objects]);
}

export const contentSchema = contentOf(levelsMax).describe(
  'what the field holds: the name of a value, a constant, a setting, or a template of parts or of tagged objects',
);

/** All atoms of a content, from left to right. */
function atomsIn(content: Content): readonly Atom[] {
  if (typeof content === 'string') return [content];
  if ('parts' in content) return content.parts.flatMap(atomsIn);
  if ('objects' in content) return content.objects.flatMap((each) => atomsIn(each.content));
  return [content];
}

/** The names of the values of a content. */
export function valuesIn(content: Content): readonly ValueName[] {
  return atomsIn(content).flatMap((atom) => {
    if (typeof atom === 'string') return [atom];
    return 'value' in atom ? [atom.value] : [];
  });
}

/** The names of the settings of the acquirer that a content needs. */
export function settingsIn(content: Content): readonly string[] {
  return atomsIn(content).flatMap((atom) => (typeof atom === 'object' && 'setting' in atom ? [atom.setting] : []));
}
