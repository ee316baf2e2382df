import { nearestWord } from '../base/domain/nearest-word.ts';
import { configurationSchema } from './configuration.ts';
import { appearsTwice, isObject, parseObject } from './json-file.ts';
import { JsonPlaces, type Path, type Position } from './json-places.ts';
import { resolveKeys } from './keys.ts';
import { namesAt } from './reference.ts';
import { sentenceOf } from './sentence.ts';

/** One thing that is wrong with a configuration, and where. */
export interface ConfigurationFault extends Position {
  /** `acquirers.0.tid` */
  readonly path: string;
  /** The rest of a sentence after the path. */
  readonly message: string;
}

type Issue = NonNullable<ReturnType<typeof configurationSchema.safeParse>['error']>['issues'][number];

/**
 * All that is wrong with a configuration, in the order of its lines. Its keys are not needed. What one setting says
 * against another is told once each is right by itself.
 */
export function findFaults(text: string): ConfigurationFault[] {
  const places = new JsonPlaces(text);
  if (places.fault) {
    const { offset, expected } = places.fault;
    return [{ path: wholeFile, message: `is no JSON here: ${expected} should stand here`, ...places.position(offset) }];
  }
  const twice = places.twice.map(({ path, offset }) => ({
    path: path.map(String).join('.'),
    message: appearsTwice,
    ...places.position(offset),
  }));
  return [...twice, ...schemaFaults(text, places)].toSorted(
    (one, other) => one.line - other.line || one.column - other.column,
  );
}

const wholeFile = 'the file';

/** Of a key that stands twice the last one counts, here as for JSON.parse. */
function schemaFaults(text: string, places: JsonPlaces): ConfigurationFault[] {
  const value = parseObject(text);
  if (!value) {
    const message = isObject(JSON.parse(text)) ? 'has a field that no configuration has' : 'is not a JSON object';
    return [{ path: wholeFile, message, ...places.valueAt([]) }];
  }
  const unread = resolveKeys(value, [wholeFile], { keys: 'unread' });
  const { issues = [] } = configurationSchema.safeParse(unread, { error: sentenceOf }).error ?? {};
  return issues.filter(isFirst).flatMap((issue) => faultsOf(issue, places));
}

/** Of a value of another type zod also tells its length, which is the length of something else. */
function isFirst({ path }: Issue, at: number, issues: readonly Issue[]): boolean {
  return !issues
    .slice(0, at)
    .some((before) => before.code === 'invalid_type' && before.path.join('.') === path.join('.'));
}

function faultsOf(issue: Issue, places: JsonPlaces): ConfigurationFault[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const own = [...path, key];
      return { path: shown(own), message: `is no setting${instead(key, namesAt(path))}`, ...places.nameAt(own) };
    });
  }
  return [{ path: shown(path), message, ...places.valueAt(path) }];
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
