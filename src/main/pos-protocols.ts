import type { Configuration } from '../config/configuration.ts';
import { mqtt } from '../pos/cloud/link/open-cloud.ts';
import { nexo } from '../pos/nexo/open-nexo.ts';
import type { PosProtocol } from '../pos/contracts/pos-protocol.ts';
import { type ConfiguredProtocol, configure, configureAdded } from './composition/open-protocols.ts';
import { http } from './composition/servers.ts';
import { refuseConfiguration } from './composition/start-error.ts';

/** Undefined where the configuration does not have it. */
type Configures = (configuration: Configuration) => ConfiguredProtocol | undefined;

/** The protocols by which POS call the terminal, in the order in which they are opened. A new one is a line here. */
const protocols: Configures[] = [
  ({ http: own }) => configure(http, own),
  ({ cloud: own }) => own && configure(mqtt, own),
  ({ nexo: own }) => own && configure(nexo, own),
];

const added = new Set<string>();

/** Adds a protocol to a program that is built with it. Called once, before the terminal starts. */
export function registerProtocol<Settings>(protocol: PosProtocol<Settings>): void {
  const { name } = protocol;
  added.add(name);
  protocols.push(({ posProtocols }) => {
    const entry = Object.hasOwn(posProtocols, name) ? posProtocols[name] : undefined;
    return entry && configureAdded(protocol, settingsOf(protocol, entry));
  });
}

/** The protocols of this terminal. Throws StartError for an entry of `posProtocols` that is unknown or invalid. */
export function configureProtocols(configuration: Configuration): readonly ConfiguredProtocol[] {
  const unknown = Object.keys(configuration.posProtocols).find((name) => !added.has(name));
  if (unknown !== undefined)
    return refuseConfiguration(new RangeError(`posProtocols.${unknown} names no protocol of this terminal`));
  return protocols.flatMap((configures) => configures(configuration) ?? []);
}

/** A message names the setting, and never quotes its value. */
function settingsOf<Settings>({ name, settings }: PosProtocol<Settings>, entry: object): Settings {
  const { success, data, error } = settings.safeParse(entry);
  if (success) return data;
  const [issue] = error.issues;
  const place = ['posProtocols', name, ...(issue?.path ?? [])].join('.');
  return refuseConfiguration(new RangeError(`${place}: ${issue?.message ?? 'is wrong'}`));
}
