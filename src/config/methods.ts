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
type SecretsOf<Host> = Host extends { readonly secrets: infer Secrets } ? keyof Secrets : never;
/** The place of a secret setting of an acquirer. */
export type SecretName = SecretsOf<Hosted['host']>;
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

/** The schemas of the secret settings, by their place in an acquirer's entry. */
export const secretSchemas = new Map<string, unknown>(hosted.flatMap(({ host }) => Object.entries(host.secrets)));

/** Acquirers that exist by name only. */
export const hostlessAcquirers = hostless.map((each) => each.hostless);

/** What each protocol tells of its hosts. */
export const protocolHosts: ReadonlyMap<string, HostSettings> = new Map(
  hosted.map(({ acquirer, host }) => [acquirer.shape.protocol.value as string, host]),
);
