import type * as z from 'zod';
import { nearestWord } from '../base/domain/nearest-word.ts';
import { type Configuration, configurationSchema } from './configuration.ts';
import type { Contradiction } from './contradiction.ts';
import { appearsTwice, isObject, type Json, parseObject } from './json-file.ts';
import { JsonPlaces, type Path, type Position } from './json-places.ts';
import { resolveKeys } from './keys.ts';
import { configurationJsonSchema } from './reference.ts';
import { namesIn } from './schema-names.ts';
import { sentenceOf } from './sentence.ts';
import { undecidedLines } from './undecided-lines.ts';

/** One thing that is wrong with a configuration, and where. */
export interface ConfigurationFault extends Position {
  /** `acquirers.0.tid` */
  readonly path: string;
  /** The rest of a sentence after the path. */
  readonly message: string;
}

type Issue = z.core.$ZodIssue;

/** The rules for a file. */
export interface FileForm {
  readonly schema: z.ZodType;
  readonly jsonSchema: () => object;
  /** Converts the file's value for the schema. Default: unchanged. */
  readonly prepare?: (value: Json) => unknown;
  /** Finds contradictions between settings that are each valid. */
  readonly check?: (read: unknown) => readonly Contradiction[];
}

/**
 * The first hundred faults of a configuration, in the order of its lines. Its keys are not needed. Contradictions
 * between settings are reported only if each setting is valid.
 */
export function findFaults(text: string): ConfigurationFault[] {
  const prepare = (value: Json) => resolveKeys(value, [wholeFile], { keys: 'unread' });
  const check = (read: unknown) => undecidedLines(read as Configuration);
  return findFileFaults(text, { schema: configurationSchema, jsonSchema: configurationJsonSchema, prepare, check });
}

/** A file with more faults is probably no configuration. */
const faultsMax = 100;

/** A fault whose text is not built yet: there may be thousands, and only the first hundred are listed. */
interface FoundFault {
  readonly path: Path;
  readonly at: Position;
  readonly message: () => string;
}

/** The first hundred faults of a JSON file with another schema, in the order of its lines. */
export function findFileFaults(text: string, form: FileForm): ConfigurationFault[] {
  const places = new JsonPlaces(text);
  if (places.fault) {
    const { offset, expected } = places.fault;
    return [{ path: wholeFile, message: `is no JSON here: ${expected} should stand here`, ...places.position(offset) }];
  }
  const twice = places.twice.map(({ path, offset }) => ({
    path,
    at: places.position(offset),
    message: () => appearsTwice,
  }));
  let jsonSchema: object | undefined;
  const once = { ...form, jsonSchema: () => (jsonSchema ??= form.jsonSchema()) };
  return [...twice, ...schemaFaults(text, places, once)]
    .toSorted(({ at: one }, { at: other }) => one.line - other.line || one.column - other.column)
    .slice(0, faultsMax)
    .map(({ path, at, message }) => ({ path: shown(path), message: message(), ...at }));
}

const wholeFile = 'the file';

/** Of a key that stands twice the last one counts, here as for JSON.parse. */
function schemaFaults(text: string, places: JsonPlaces, form: FileForm): FoundFault[] {
  const value = parseObject(text);
  if (!value) {
    const message = isObject(JSON.parse(text)) ? 'has a field that no configuration has' : 'is not a JSON object';
    return [{ path: [wholeFile], message: () => message, at: places.valueAt([]) }];
  }
  const { schema, prepare = (same) => same, check } = form;
  const { error, data } = schema.safeParse(prepare(value), { error: sentenceOf });
  if (!error) {
    const found = check?.(data) ?? [];
    return found.map(({ path, message }) => ({ path, message: () => message, at: places.valueAt(path) }));
  }
  return withoutLengths(error.issues.flatMap(deepest)).flatMap((issue) => faultsOf(issue, places, form));
}

/** Of a value of another type zod also tells its length, which is the length of something else. */
function withoutLengths(issues: readonly Issue[]): readonly Issue[] {
  const ofOtherType = new Set<string>();
  return issues.filter(({ code, path }) => {
    const place = path.join('.');
    if (ofOtherType.has(place)) return false;
    if (code === 'invalid_type') ofOtherType.add(place);
    return true;
  });
}

/** If a value may have several forms: the faults for the closest form. */
function deepest(issue: Issue): readonly Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const forms = issue.errors.map((errors) =>
    errors.flatMap((each) => deepest({ ...each, path: [...issue.path, ...each.path] })),
  );
  const depth = issue.path.length;
  const isOtherType = ({ code, path }: Issue) => code === 'invalid_type' && path.length === depth;
  const possible = forms.filter((each) => !each.some(isOtherType));
  const [first, ...others] = possible;
  return first ? others.reduce((best, each) => (isNearer(each, best) ? each : best), first) : [issue];
}

/** The closer form has its faults further inside, or has fewer. */
function isNearer(one: readonly Issue[], other: readonly Issue[]): boolean {
  const depthOf = (issues: readonly Issue[]) => Math.max(...issues.map(({ path }) => path.length));
  const deeper = depthOf(one) - depthOf(other);
  return deeper > 0 || (deeper === 0 && one.length < other.length);
}

function faultsOf(issue: Issue, places: JsonPlaces, { jsonSchema }: FileForm): FoundFault[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const own = [...path, key];
      return {
        path: own,
        message: () => `is no setting${instead(key, namesIn(jsonSchema(), path))}`,
        at: places.nameAt(own),
      };
    });
  }
  return [{ path, message: () => message, at: places.valueAt(path) }];
}

/** So many names are read at a glance. */
const namesMax = 12;

function instead(written: string, names: readonly string[]): string {
  const meant = nearestWord(written, names);
  if (meant !== undefined) return `; did you mean ${meant}?`;
  return names.length > 0 && names.length <= namesMax ? `; there are ${names.join(', ')}` : '';
}

function shown(path: Path): string {
  return path.map(String).join('.') || 'the top level';
}
