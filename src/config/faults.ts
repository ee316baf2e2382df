import { nearestWord } from '../domain/nearest-word.ts';
import { configurationSchema } from './configuration.ts';
import { appearsTwice, isObject, parseObject } from './json-file.ts';
import { JsonPlaces, type Path, type Position } from './json-places.ts';
import { resolveKeys } from './keys.ts';
import { namesAt } from './reference.ts';

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
  const { error } = configurationSchema.safeParse(resolveKeys(value, [wholeFile], { keys: 'unread' }));
  return (error?.issues ?? []).flatMap((issue) => faultsOf(issue, places));
}

function faultsOf(issue: Issue, places: JsonPlaces): ConfigurationFault[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const meant = nearestWord(key, namesAt(path));
      const own = [...path, key];
      const told = `is no setting${meant === undefined ? '' : `; did you mean ${meant}?`}`;
      return { path: shown(own), message: told, ...places.nameAt(own) };
    });
  }
  const isMissing = message.endsWith('received undefined');
  return [{ path: shown(path), message: isMissing ? 'is missing' : message, ...places.valueAt(path) }];
}

function shown(path: Path): string {
  return path.map(String).join('.') || 'the top level';
}
