import { cardSettings } from '../methods/card/settings.ts';
import { cashSettings } from '../methods/cash/settings.ts';
import { epsSettings } from '../methods/eps/settings.ts';
import { octopusSettings } from '../methods/octopus/settings.ts';
import { walletSettings } from '../methods/wallet/settings.ts';
import { type HostSettings, mergeShapes } from './settings-part.ts';

/** The settings of the payment methods, in the order of the documentation. A new method is a line here. */
export const methodSettings = [cardSettings, epsSettings, walletSettings, octopusSettings, cashSettings] as const;

type Method = (typeof methodSettings)[number];
type Hosted = Extract<Method, { readonly acquirer: unknown }>;
type Hostless = Extract<Method, { readonly hostless: unknown }>;

export type AcquirerSchema = Hosted['acquirer'];
/** A key of an acquirer that is secret. */
export type SecretName = Hosted['host']['secrets'][number];
export type SampleName = Method extends infer Each
  ? Each extends { readonly samples: infer Samples }
    ? keyof Samples
    : never
  : never;

const hosted = methodSettings.filter((each): each is Hosted => 'acquirer' in each);
const hostless = methodSettings.filter((each): each is Hostless => 'hostless' in each);

export const methodEquipment = mergeShapes(methodSettings.map(({ equipment }) => equipment));
export const methodSections = mergeShapes(methodSettings.map(({ sections }) => sections));
export const methodTimeouts = mergeShapes(methodSettings.map(({ timeouts }) => timeouts));
export const methodSamples = mergeShapes(methodSettings.map(({ samples }) => samples));

const [firstAcquirer, ...otherAcquirers] = hosted.map(({ acquirer }) => acquirer);
if (!firstAcquirer) throw new Error('no payment method has a host');
export const acquirerSchemas: readonly [AcquirerSchema, ...AcquirerSchema[]] = [firstAcquirer, ...otherAcquirers];

/** The schemas of the keys that are secret, by name. */
export const secretSchemas = new Map(
  hosted.flatMap(({ host, acquirer: { shape } }) =>
    host.secrets.map((name) => [name, (shape as Readonly<Record<string, unknown>>)[name]] as const),
  ),
);

/** Acquirers that exist by name only. */
export const hostlessAcquirers = hostless.map((each) => each.hostless);

/** What each protocol tells of its hosts. */
export const protocolHosts: ReadonlyMap<string, HostSettings> = new Map(
  hosted.map(({ acquirer, host }) => [acquirer.shape.protocol.value as string, host]),
);
