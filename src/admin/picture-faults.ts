import { readPng, readPicture, screenLogoBounds, methodLogoBounds } from '../screen/picture-file.ts';
import type { ConfigurationFault } from '../config/faults.ts';
import { isObject, type Json, parseObject } from '../config/json-file.ts';
import { JsonPlaces, type Path } from '../config/json-places.ts';
import { checkLogo } from '../receipt/logo.ts';

/** The pictures that a configuration without other faults names and that can't be used, with the reason. */
export async function findPictureFaults(text: string): Promise<ConfigurationFault[]> {
  const places = new JsonPlaces(text);
  const value = parseObject(text);
  if (!value) return [];
  const faults: ConfigurationFault[] = [];
  for (const { path, check } of picturesOf(value)) {
    try {
      await check();
    } catch (error) {
      const message = `names a picture that can't be used: ${(error as Error).message}`;
      faults.push({ path: path.map(String).join('.'), message, ...places.valueAt(path) });
    }
  }
  return faults;
}

interface NamedPicture {
  readonly path: Path;
  readonly check: () => Promise<unknown>;
}

function picturesOf({ shop, screen, wallets }: Json): NamedPicture[] {
  const named: [Path, unknown, (source: string) => Promise<unknown>][] = [
    [['shop', 'logo'], logoOf(shop), checkLogo],
    [['screen', 'logo'], logoOf(screen), (source) => readPicture(source, screenLogoBounds)],
    ...Object.entries(isObject(wallets) ? wallets : {}).map(([code, wallet]): (typeof named)[number] => [
      ['wallets', code, 'logo'],
      logoOf(wallet),
      (source) => readPng(source, methodLogoBounds),
    ]),
  ];
  return named.flatMap(([path, source, check]) =>
    typeof source === 'string' ? [{ path, check: () => check(source) }] : [],
  );
}

function logoOf(value: unknown): unknown {
  return isObject(value) ? value['logo'] : undefined;
}
