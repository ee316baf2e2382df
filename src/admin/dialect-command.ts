import { findFileFaults } from '../config/faults.ts';
import { parseObject, readText } from '../config/json-file.ts';
import { JsonPlaces } from '../config/json-places.ts';
import { plainText } from '../base/domain/plain-text.ts';
import { jsonText } from '../base/standard-output.ts';
import { UsageError } from '../base/usage-error.ts';
import { builtInDialects } from '../hosts/iso8583/dialect.ts';
import { dialectFileSchema } from '../hosts/iso8583/dialects/check.ts';
import {
  builtInNames,
  type DialectFile,
  dialectJsonSchema,
  type MessageName,
} from '../hosts/iso8583/dialects/dialect-schema.ts';
import { sampleFaults, sampleKinds, sampleMessage, type SampleMessage } from '../hosts/iso8583/sample.ts';

const faultyCode = 1;

interface DialectFlags {
  readonly sample?: string | undefined;
  readonly json?: boolean | undefined;
}

/**
 * `poid config dialect FILE`: lists the first hundred faults of a dialect file. With `--sample KIND` it also prints a
 * message of that kind, field by field. A built-in dialect is given by its name. Without `--sample` it is
 * printed as a file. Exit codes: 0 no fault, 1 faults.
 */
export async function dialectCommand({ sample, json = false }: DialectFlags, name: string): Promise<number> {
  const builtIn = builtInNames.find((each) => each === name);
  if (builtIn) {
    const file = builtInDialects[builtIn];
    if (sample === undefined) console.log(JSON.stringify(file, null, 2));
    else printSample(name, sampleMessage(file, kindOf(file, sample)), json);
    return 0;
  }
  const text = await readText(name);
  const inText = findFileFaults(text, { schema: dialectFileSchema, jsonSchema: dialectJsonSchema });
  const file = inText.length === 0 ? dialectFileSchema.parse(parseObject(text)) : undefined;
  const places = new JsonPlaces(text);
  const faults = file
    ? sampleFaults(file).map(({ kind, message }) => {
        const path = ['messages', kind];
        return { path: path.join('.'), message: `can't be built: ${message}`, ...places.valueAt(path) };
      })
    : inText;
  if (file && faults.length === 0) {
    if (sample !== undefined) printSample(name, sampleMessage(file, kindOf(file, sample)), json);
    else console.log(json ? jsonText({ file: name, faults }) : plainText(`${name} can be used`));
    return 0;
  }
  if (json) console.log(jsonText({ file: name, faults }));
  else {
    for (const { line, column, path, message } of faults) {
      console.log(plainText(`${name}:${line}:${column}: ${path}: ${message}`));
    }
  }
  return faultyCode;
}

function kindOf(file: DialectFile, sample: string): MessageName {
  const kinds = sampleKinds(file);
  const kind = kinds.find((each) => each === sample);
  if (!kind) throw new UsageError(`--sample takes a message of this dialect: ${kinds.join(', ')}`);
  return kind;
}

function printSample(file: string, { kind, frame, parts }: SampleMessage, json: boolean): void {
  if (json) {
    console.log(jsonText({ file, faults: [], sample: { kind, ...(frame === undefined ? {} : { frame }), parts } }));
    return;
  }
  for (const { field, name, value, bytes = '' } of parts) {
    const number = field === 0 ? 'MTI' : String(field);
    console.log(
      plainText(
        `${number.padStart(3)}  ${name.padEnd(40)}  ${value}${bytes === '' || bytes === value ? '' : `  [${bytes}]`}`,
      ),
    );
  }
  if (frame !== undefined) console.log(plainText(`frame ${frame}`));
}
