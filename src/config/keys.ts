import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { unreadKey } from './common-settings.ts';
import { isObject, type Json, parseJson, wrong } from './json-file.ts';
import { secretSchemas } from './methods.ts';

/** Keys and other secrets of a configuration, by the names that it has for them. */
export type Keys = Readonly<Record<string, string>>;

export interface KeyOptions {
  /** 'unread': for a command that needs no key, and may not read them. */
  readonly keys?: Keys | 'unread';
  /** Called with the place of each key that is in the configuration itself. */
  readonly onClearKey?: (place: string) => void;
}

/** The credentials of the unit (systemd.exec(5)): a JSON object of keys, encrypted on disk or not. */
export const keyCredentials = { sealed: 'poid.sealed-keys', plain: 'poid.keys' } as const;

/** What stands in a configuration instead of a key. */
interface KeyReference {
  readonly credential: string;
}

export const keyNamePattern = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** A reference as JSON Schema. */
export const keyReferenceSchema = {
  type: 'object' as const,
  properties: {
    credential: {
      type: 'string' as const,
      pattern: keyNamePattern.source,
      description: 'the key’s name among the credentials of the service',
    },
  },
  required: ['credential'],
  additionalProperties: false as const,
};

/** The places of keys in an acquirer's entry. */
const secretPaths = [...secretSchemas.keys()].map((place) => place.split('.'));

/** Fields of further payment methods, which check their settings themselves. */
const secretName = /(?:key|secret|password|token)$/i;

/** The keys that systemd has passed in its directory; none without one. Rejects with ConfigurationError. */
export async function readPassedKeys(directory: string | undefined): Promise<Keys> {
  if (directory === undefined) return {};
  const keys: Record<string, string> = {};
  for (const name of Object.values(keyCredentials)) {
    const file = path.join(directory, name);
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw wrong([file], 'the file', `can't be read (${error.code})`);
    });
    if (text !== undefined) Object.assign(keys, parseKeys(text, file));
  }
  return keys;
}

/** Throws ConfigurationError. */
export function parseKeys(text: string, file: string): Keys {
  const keys = Object.entries(parseJson(text, file));
  for (const [name, value] of keys) {
    if (typeof value !== 'string') throw wrong([file], name, 'is no text');
  }
  return Object.fromEntries(keys) as Keys;
}

/** Puts keys in the places that name one. Throws ConfigurationError for a name without a key. */
export function resolveKeys(configuration: Json, paths: readonly string[], options: KeyOptions): Json {
  const { keys = {}, onClearKey } = options;
  return mapSecrets(configuration, (value, place, settings) => {
    if (!isKeyReference(value)) {
      if (typeof value === 'string' && !isAtLoopback(settings)) onClearKey?.(place);
      return value;
    }
    if (keys === 'unread') return unreadKey;
    const key = Object.hasOwn(keys, value.credential) ? keys[value.credential] : undefined;
    if (key !== undefined) return key;
    const name = keyNamePattern.test(value.credential) ? value.credential : 'of a name that can’t be one';
    const missing = `names the credential ${name}, which systemd has not passed`;
    throw wrong(paths, place, `${missing}: 'poid provision' stores it, and the service reads it`);
  });
}

/** Replaces each secret of a configuration, wherever the schema or a payment method has one. */
export function mapSecrets(configuration: Json, map: (value: unknown, place: string, settings: Json) => unknown): Json {
  const mapList = (list: 'acquirers' | 'methods', pathsIn: (settings: Json) => readonly (readonly string[])[]) => {
    const found = configuration[list];
    if (!Array.isArray(found)) return {};
    const mapped = found.map((settings: unknown, at) => {
      if (!isObject(settings)) return settings;
      const mapAt = (value: unknown, path: readonly string[]) => map(value, [list, at, ...path].join('.'), settings);
      return pathsIn(settings).reduce((kept, path) => mapField(kept, path, (value) => mapAt(value, path)), settings);
    });
    return { [list]: mapped };
  };
  return {
    ...configuration,
    ...mapPosKeys(configuration, map),
    ...mapList('acquirers', () => secretPaths),
    ...mapList('methods', (settings) =>
      Object.keys(settings).flatMap((name) => (secretName.test(name) ? [[name]] : [])),
    ),
  };
}

/** Replaces the passphrases of POS that speak nexo. */
function mapPosKeys(
  { nexo }: Json,
  map: (value: unknown, place: string, settings: Json) => unknown,
): { readonly nexo?: Json } {
  if (!isObject(nexo) || !Array.isArray(nexo['keys'])) return {};
  const keys = nexo['keys'].map((each: unknown, at) => {
    if (!isObject(each)) return each;
    // The place keeps two names apart that differ only in characters that a credential can't have.
    const named = { ...each, id: `nexo-${at + 1}-${String(each['identifier'])}` };
    return mapField(each, ['passphrase'], (value) => map(value, `nexo.keys.${at}.passphrase`, named));
  });
  return { nexo: { ...nexo, keys } };
}

/** Replaces the value at `path`; unchanged if there is none. */
function mapField(settings: Json, path: readonly string[], map: (value: unknown) => unknown): Json {
  const [name = '', ...rest] = path;
  if (!Object.hasOwn(settings, name)) return settings;
  const value = settings[name];
  if (rest.length === 0) return { ...settings, [name]: map(value) };
  return isObject(value) ? { ...settings, [name]: mapField(value, rest, map) } : settings;
}

/** Returns the settings of an acquirer without its keys. */
export function withoutSecrets(settings: Json): Json {
  return secretPaths.reduce((kept, path) => dropField(kept, path), settings);
}

function dropField(settings: Json, path: readonly string[]): Json {
  const [name = '', ...rest] = path;
  const { [name]: value, ...others } = settings;
  if (rest.length === 0) return others;
  return isObject(value) ? { ...settings, [name]: dropField(value, rest) } : settings;
}

export function isKeyReference(value: unknown): value is KeyReference {
  return isObject(value) && Object.keys(value).length === 1 && typeof value['credential'] === 'string';
}

/** The simulator's keys are published. */
function isAtLoopback({ url }: Json): boolean {
  return typeof url === 'string' && /^https?:\/\/127\.0\.0\.1[:/]/.test(`${url}/`);
}
