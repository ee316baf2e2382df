import type * as z from 'zod';
import type { Contradiction } from './contradiction.ts';

/**
 * What a payment method has in the configuration. A file with one has schemas and checks alone, because every command
 * reads it.
 */
export interface MethodSettings {
  /** One of its entries of `acquirers`. */
  readonly acquirer?: z.ZodObject<{ id: z.ZodType<string>; protocol: z.ZodLiteral<string> }>;
  readonly host?: HostSettings;
  /** The acquirer that exists by name only, because the method has no host. */
  readonly hostless?: HostlessAcquirer;
  /** Top-level keys: a device, or whether this terminal takes it. */
  readonly equipment: z.ZodRawShape;
  /** Further top-level keys. */
  readonly sections: z.ZodRawShape;
  /** Keys of `timeouts`. */
  readonly timeouts: z.ZodRawShape;
  /** Those of its top-level keys that a document of the fleet may set. */
  readonly fleet: readonly string[];
  /** By the name that `poid config sample` takes. */
  readonly samples: Readonly<Record<string, MethodSample>>;
  /** Checks between settings that are valid by themselves. `configuration`: the keys that it reads. */
  readonly contradictions?: (configuration: never) => readonly Contradiction[];
  /** The longest time that one of its payments may take in milliseconds, besides its reversal. */
  readonly longestPaymentMs?: (configuration: never) => number;
}

interface HostlessAcquirer {
  readonly name: string;
  readonly isConfigured: (configuration: never) => boolean;
}

/** What identifies this terminal at a host, and where that host is. `Kept`: the settings without their key. */
export interface HostSettings<Kept = never> {
  /** The secret settings of an entry, by their place in it: 'security.tls.clientKey'. */
  readonly secrets: Readonly<Record<string, z.ZodType>>;
  /** What a stored entry must have. */
  readonly stored: z.ZodObject<{ protocol: z.ZodLiteral<string> }>;
  /** The settings under which the host knows this terminal, as text, by their keys. */
  readonly terms: (kept: Kept) => Readonly<Record<string, string>>;
  /** The keys of those that say where the host is. */
  readonly places: readonly string[];
  /** The address in words. */
  readonly placeOf: (kept: Kept) => string;
  /** The numbers of this terminal, as its intents have them. */
  readonly numbersOf: (kept: Kept) => TerminalNumbers;
  readonly withNumbers: (kept: Kept, numbers: TerminalNumbers) => object;
  /**
   * Whether the host is the same although the keys in `places` differ. `used`: the address of the unsettled payments,
   * if an intent names it. Absent: never the same.
   */
  readonly isSameBooks?: (former: Kept, present: Kept, used: string | undefined) => boolean;
  /** If two entries share one of these, the host sees them as one terminal. Absent: it never does. */
  readonly terminalsOf?: (kept: Kept) => readonly string[];
  readonly file?: HostFile<Kept>;
}

/** A JSON file that an entry may name. It is read with the configuration, and its content is kept with the entry. */
export interface HostFile<Entry = never> {
  /** The key that has its path. */
  readonly key: string;
  /** The key under which the content is kept. It is not a setting. */
  readonly contentKey: string;
  /** The path of the file; undefined for an entry that names none. */
  readonly pathOf: (entry: Entry) => string | undefined;
  readonly schema: z.ZodType;
  readonly jsonSchema: () => object;
  /** Checks of an entry against its file. Paths are relative to the entry. */
  readonly contradictions: (entry: Entry, content: never) => readonly Contradiction[];
}

export interface TerminalNumbers {
  readonly tid: string;
  /** Empty if the host needs none. */
  readonly mid: string;
}

export interface MethodSample {
  /** Top-level keys. */
  readonly equipment?: Readonly<Record<string, unknown>>;
  /** The entry of `acquirers`, the `at`-th one. */
  readonly acquirer?: (at: number) => object;
  /** Settings of that entry whose real value only the contract has. */
  readonly examples?: readonly string[];
}

/** What a sale option has in the configuration. Its file, too, has schemas and checks alone. */
export interface OptionSettings {
  /** Top-level keys. */
  readonly sections: z.ZodRawShape;
  /** Keys of `rules`. */
  readonly rules: z.ZodRawShape;
  /** Keys of `timeouts`. */
  readonly timeouts: z.ZodRawShape;
  /** Those of its top-level keys that a document of the fleet may set. */
  readonly fleet: readonly string[];
  readonly contradictions?: (configuration: never) => readonly Contradiction[];
}

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** One shape with the keys of all, in their order. */
export function mergeShapes<Shape extends object>(shapes: readonly Shape[]): Intersection<Shape> {
  return Object.assign({}, ...shapes) as Intersection<Shape>;
}
