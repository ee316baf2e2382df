import { systemClock as clock, systemRandom as random } from '../../base/ports/clock.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { Log } from '../../observability/log.ts';
import type { PartBoundary } from '../../observability/part-boundary.ts';
import type { ApiParts } from '../../pos/api/call.ts';
import { CallRooms } from '../../pos/api/call-rooms.ts';
import type { EventStream } from '../../pos/api/event-stream.ts';
import { openPosCalls } from '../../pos/api/open-pos-calls.ts';
import type { Cloud } from '../../pos/cloud/link/open-cloud.ts';
import type { OpenPosProtocol, PosProtocol, PosProtocolOptions } from '../../pos/contracts/pos-protocol.ts';
import type { RequestAuthenticator } from '../../pos/pairing/request-authenticator.ts';
import type { AccessControl } from './access-control.ts';
import { listenFault } from './servers.ts';
import { refuseConfiguration, StartError } from './start-error.ts';

/** Additional parts for the protocols of the product. */
export interface ProductParts {
  readonly events: EventStream;
  readonly cloud: Cloud | undefined;
  readonly cloudAuthenticator: RequestAuthenticator | undefined;
  readonly bodyBytesMax: number;
  readonly boundary: PartBoundary;
  readonly stateDir: string;
  /** Who may connect in the shop's network, and the limits of connections. */
  readonly http: Configuration['http'];
  /** Key and certificate of the terminal, also where the API has no TLS. */
  readonly identity: AccessControl['identity'];
}

/** A protocol with its settings. */
export interface ConfiguredProtocol extends Pick<PosProtocol, 'name' | 'limitsOwnCalls'> {
  open(options: Omit<PosProtocolOptions, 'settings'> & ProductParts): Promise<OpenPosProtocol>;
}

export function configure<Settings>(
  protocol: PosProtocol<Settings, ProductParts>,
  settings: Settings,
): ConfiguredProtocol {
  const { name, limitsOwnCalls } = protocol;
  const open: ConfiguredProtocol['open'] = (options) => protocol.open({ ...options, settings });
  return { name, ...(limitsOwnCalls ? { limitsOwnCalls } : {}), open };
}

/** The same of a protocol that was added: its errors end no payment. */
export function configureAdded<Settings>(protocol: PosProtocol<Settings>, settings: Settings): ConfiguredProtocol {
  const configured = configure(protocol, settings);
  return { ...configured, open: (options) => options.boundary.within('protocol', () => configured.open(options)) };
}

export interface ProtocolParts
  extends Omit<ProductParts, 'cloudAuthenticator' | 'bodyBytesMax' | 'stateDir' | 'http' | 'identity'> {
  readonly api: ApiParts;
  readonly accessControl: Pick<AccessControl, 'tls' | 'identity' | 'authenticator' | 'cloudAuthenticator'>;
  readonly log: Log;
}

/** The protocols that are open, by name. */
export class OpenProtocols {
  readonly #open = new Map<string, OpenPosProtocol>();
  #closing: Promise<unknown> | undefined;

  add(name: string, protocol: OpenPosProtocol): void {
    this.#open.set(name, protocol);
  }

  /** Where one of them listens. */
  portOf(name: string): number | undefined {
    return this.#open.get(name)?.port;
  }

  /** Where those of the product listen. */
  get ports() {
    return { apiPort: this.portOf('http') ?? 0, nexoPort: this.portOf('nexo') };
  }

  /** The reports of all protocols; undefined if there is none. */
  get status(): Readonly<Record<string, object>> | undefined {
    const reports = [...this.#open].flatMap(([name, each]) => (each.status ? [[name, each.status()] as const] : []));
    return reports.length === 0 ? undefined : Object.fromEntries(reports);
  }

  /** No further call is taken. Resolves once those under way are answered. May be called again. */
  async close(): Promise<void> {
    this.#closing ??= Promise.all([...this.#open.values()].map((each) => each.close()));
    await this.#closing;
  }
}

/** Opens the protocols in their order, into `open`. Rejects with StartError. */
export async function openProtocols(
  configured: readonly ConfiguredProtocol[],
  { http, pairing, stateDir }: Pick<Configuration, 'http' | 'pairing' | 'stateDir'>,
  { api, accessControl, log, ...parts }: ProtocolParts,
  open: OpenProtocols,
): Promise<void> {
  const { tls, identity, authenticator, cloudAuthenticator } = accessControl;
  const { bodyBytesMax } = http;
  const common = { ...parts, clock, random, cloudAuthenticator, bodyBytesMax, stateDir, http, identity };
  for (const protocol of configured) {
    const { name, limitsOwnCalls } = protocol;
    const onFailure = (error: unknown) => log.failure(name === 'http' ? 'api' : name, error);
    const rooms = limitsOwnCalls ? {} : { rooms: new CallRooms() };
    const outside = <T>(work: () => T) => parts.boundary.outside(work);
    const calls = openPosCalls({ parts: api, isPairingRequired: pairing.required, ...rooms, outside, onFailure });
    const credentials = { ...(tls ? { tls } : {}), ...(authenticator ? { authenticator } : {}) };
    const opening = protocol.open({ ...common, ...credentials, calls, onFailure });
    open.add(name, await opening.catch((error: unknown) => refuseStart(name, error)));
  }
}

/** Faults of the configuration and of the machine, in a sentence. Any other error is a bug, and is thrown as it is. */
function refuseStart(name: string, error: unknown): never {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof StartError || code === undefined) return refuseConfiguration(error);
  throw new StartError(`${name} can't ${syscall === 'listen' ? 'listen' : 'start'}: ${listenFault(error)}`);
}
