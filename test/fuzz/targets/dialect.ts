import assert from 'node:assert/strict';
import { findFileFaults } from '../../../src/config/faults.ts';
import { parseObject } from '../../../src/config/json-file.ts';
import { Iso8583Error } from '../../../src/codecs/iso8583/iso8583-error.ts';
import { pack, unpack } from '../../../src/codecs/iso8583/message.ts';
import { builtInDialects } from '../../../src/hosts/iso8583/dialect.ts';
import { dialectFileSchema } from '../../../src/hosts/iso8583/dialects/check.ts';
import { dialectJsonSchema, wireSchema } from '../../../src/hosts/iso8583/dialects/dialect-schema.ts';
import { sampleFaults } from '../../../src/hosts/iso8583/sample.ts';
import { wireSpec } from '../../../src/hosts/iso8583/wire.ts';
import { binaryTokens, fixture, hex, json, type Json, jsonTokens, text } from '../material.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, canary, type Documented, type Target, valueOrDocumented } from '../target.ts';

const files: Json[] = [fixture('dialects/second-bank'), builtInDialects.EDC, builtInDialects.EPS];
const words = [
  `"constant":"${canary}"`,
  '"encoding":"ebcdic"',
  '"prefix":"bcd3"',
  '"length":9999',
  '"fields":[2]',
  '"parts":[',
  '"objects":[',
  '"value":"stan"',
  '"content":null',
  '"128":{',
];

/** An accepted file has no card data in the clear, and each of its messages is built or refused. */
export const dialectFiles: Target = {
  name: 'dialect-files',
  share: 2,
  inputs: hostile({ seeds: files.map(json), tokens: [...jsonTokens, ...words.map(text)] }),
  check(input) {
    const written = Buffer.from(input).toString();
    const faults = findFileFaults(written, { schema: dialectFileSchema, jsonSchema: dialectJsonSchema });
    for (const { path, message } of faults) assertSilent(path.includes(canary) ? message : `${path} ${message}`);
    if (faults.length > 0) return;
    const file = dialectFileSchema.parse(parseObject(written));
    for (const row of Object.values(file.messages)) {
      for (const field of row?.fields ?? []) assert.ok(![2, 14, 35, 36, 45].includes(field), 'card data in clear');
    }
    for (const { message } of sampleFaults(file)) assertSilent(message);
  },
};

const fault: Documented = { type: Iso8583Error, words: /^ISO 8583 [a-z-]+, field \d{1,3}, byte \d+$/ };
const vectors: Json[] = fixture('messages/published');
const specs = [...new Set(vectors.map(({ dialect }) => String(dialect)))].map((name) =>
  wireSpec(wireSchema.parse(fixture(name.replace(/\.json$/, '')))),
);

/** A message of any dialect is either read and written as the same bytes, or refused. */
export const dialectMessages: Target = {
  name: 'dialect-messages',
  share: 4,
  inputs: hostile({
    seeds: vectors.map((each) => hex(each.hex)),
    tokens: [...binaryTokens, ...['30323030', 'F0F2F0F0', '38323332', 'F8F2', '303939', '4040'].map(hex)],
  }),
  check(input) {
    for (const spec of specs) {
      const message = valueOrDocumented(fault, () => unpack(spec, input));
      if (message) assert.deepEqual(unpack(spec, pack(spec, message)), message, 'written, and read otherwise');
    }
  },
};
