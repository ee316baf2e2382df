import path from 'node:path';
import { type Contradiction, findRepeated } from './contradiction.ts';
import { hostlessAcquirers, methodEquipment, methodSettings } from './methods.ts';
import { optionSettings } from './options.ts';
import type { Configuration } from './settings.ts';

/** Checks between parts that are valid by themselves. */
export function contradictions(configuration: Configuration): Contradiction[] {
  const own = [ofDevices, ofAcquirers, ofMerchants, ofMethods, ofCollectTimes, ofFleet, ofNexo];
  const parts = [...methodSettings, ...optionSettings].flatMap((part) =>
    'contradictions' in part ? [part.contradictions] : [],
  );
  return [...own, ...parts].flatMap((check) => check(configuration));
}

type EquipmentName = keyof typeof methodEquipment;
type DeviceSettings = Pick<Configuration, 'reader' | 'printer' | 'scanner' | EquipmentName>;

const equipmentNames = Object.keys(methodEquipment) as EquipmentName[];

/** Each configured device: the name of its setting, and its device node or socket. */
export function devicePaths(configuration: DeviceSettings): [string, string][] {
  const { reader, printer, scanner } = configuration;
  // A reader that is on a serial line only has no such key.
  const hid = 'hid' in reader ? reader.hid : undefined;
  const all = [
    ['reader.path', reader.path],
    ['reader.hid.path', hid?.path],
    ['reader.hid.stream', hid?.stream],
    ['printer.path', printer?.path],
    ['scanner.path', scanner?.path],
    ...equipmentNames.map((name) => [`${name}.path`, pathOf(configuration[name])] as const),
  ] as const;
  return all.flatMap(([name, node]) => (node === undefined ? [] : [[name, path.resolve(node)]]));
}

/** Of what a method is equipped with, a device has a path. */
function pathOf(equipment: DeviceSettings[EquipmentName]): string | undefined {
  return typeof equipment === 'object' ? equipment.path : undefined;
}

/** Two drivers on one device would take each other's bytes. */
function ofDevices(configuration: Configuration): Contradiction[] {
  return findRepeated(devicePaths(configuration)).map(([name, first]) => ({
    path: name.split('.'),
    message: `is the device of ${first} too: each needs its own`,
  }));
}

function ofAcquirers({ acquirers }: Configuration): Contradiction[] {
  const ids = acquirers.map(({ id }, at) => [String(at), id] as const);
  return [
    ...acquirers.flatMap(({ kinds = [] }, at) => ofHolds(kinds, ['acquirers', at, 'kinds'])),
    ...findRepeated(ids).map(([at, first]) => ({
      path: ['acquirers', Number(at), 'id'],
      message: `is that of acquirers.${first} too: each id may be used once`,
    })),
  ];
}

/** Merchants must differ, and acquirers may name only these. */
function ofMerchants({ merchants, acquirers, methods }: Configuration): Contradiction[] {
  const known = merchants.map(({ id }) => id);
  const ids = known.map((id, at) => [String(at), id] as const);
  const named = [...acquirers.entries()].map(([at, each]) => ['acquirers', at, each.merchant] as const);
  const added = [...methods.entries()].map(([at, each]) => ['methods', at, each.merchant] as const);
  return [
    ...findRepeated(ids).map(([at, first]) => ({
      path: ['merchants', Number(at), 'id'],
      message: `is that of merchants.${first} too: each id may be used once`,
    })),
    ...[...named, ...added].flatMap(([list, at, id]) =>
      id === undefined || known.includes(id)
        ? []
        : [{ path: [list, at, 'merchant'], message: 'is the id of none of merchants' }],
    ),
  ];
}

/** An authorization that can't be completed, or not be released, holds a customer's money. */
function ofHolds(kinds: readonly string[], place: Contradiction['path']): Contradiction[] {
  if (!kinds.includes('AUTH')) return [];
  const isCompleted = kinds.includes('AUTH_COMP') || kinds.includes('OFFLINE_SALE');
  const lacking = [
    ...(isCompleted ? [] : ['AUTH_COMP or OFFLINE_SALE']),
    ...(kinds.includes('VOID_AUTH') ? [] : ['VOID_AUTH']),
  ];
  return lacking.map((each) => ({ path: place, message: `has AUTH without ${each}: what is held could not be ended` }));
}

/** Batches are stored by the name of their acquirer. */
function ofMethods({ acquirers, methods }: Configuration): Contradiction[] {
  const taken: readonly string[] = [...hostlessAcquirers.map(({ name }) => name), ...acquirers.map(({ id }) => id)];
  return methods.flatMap(({ id }, at) =>
    taken.includes(id) || methods.findIndex((each) => each.id === id) < at
      ? [{ path: ['methods', at, 'id'], message: 'is the name of another acquirer: each name may be used once' }]
      : [],
  );
}

/** What a request may ask for has a range. */
function ofCollectTimes({ timeouts: { collectLeastMs, collectMostMs } }: Configuration): Contradiction[] {
  if (collectLeastMs <= collectMostMs) return [];
  return [{ path: ['timeouts', 'collectLeastMs'], message: 'must not be more than timeouts.collectMostMs' }];
}

/** Its messages must be acceptable, each key must be one, and the port its own. */
function ofNexo({ nexo, http, screen, pairing }: Configuration): Contradiction[] {
  if (!nexo) return [];
  const { keys, clear, port } = nexo;
  const names = keys.map(({ identifier, version }, at) => [String(at), `${identifier} ${version}`] as const);
  const taken = [['http.port', http.port] as const, ['screen.port', screen.port] as const].find(
    ([, other]) => other === port && port !== 0,
  );
  const nobody = keys.flatMap(({ posId }, at) => (posId === undefined ? [at] : []));
  return [
    ...(taken ? [{ path: ['nexo', 'port'], message: `is ${taken[0]} too: each needs its own` }] : []),
    ...(keys.length === 0 && !clear
      ? [{ path: ['nexo', 'keys'], message: 'is empty, and clear is false: no message would be accepted' }]
      : []),
    ...(pairing.required && clear
      ? [{ path: ['nexo', 'clear'], message: 'must be false with pairing.required: a clear message has no key' }]
      : []),
    ...(pairing.required ? nobody : []).map((at) => ({
      path: ['nexo', 'keys', at, 'posId'],
      message: 'is missing: with pairing.required each key belongs to one POS',
    })),
    ...findRepeated(names).map(([at, first]) => ({
      path: ['nexo', 'keys', Number(at)],
      message: `has identifier and version of nexo.keys.${first} too: each may be used once`,
    })),
  ];
}

/** Its documents would never come. */
function ofFleet({ fleet, cloud }: Configuration): Contradiction[] {
  if (!fleet || cloud) return [];
  return [{ path: ['fleet'], message: 'needs cloud: its documents come through that broker' }];
}
