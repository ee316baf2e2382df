import * as z from 'zod';
import { keyFault } from '../../base/domain/json-keys.ts';
import { signatureProperty, signerOf } from './signed.ts';
import type { CloudMessage } from '../../payment/contracts/cloud-link.ts';

const name = z.string().regex(/^[A-Za-z0-9-]{1,64}$/);
const instant = z.iso.datetime({ offset: true });
/** One of both. */
const addressee = z.union([z.strictObject({ terminal: name }), z.strictObject({ group: name })]);

/**
 * Kept on P/{t}/configuration. `configuration` is laid over the terminal's own file; a later version replaces all of
 * it.
 */
const configurationDocument = z.strictObject({
  kind: z.literal('configuration'),
  version: z.number().int().min(1),
  for: addressee,
  /** It is adopted in between; what is adopted stays. */
  notBefore: instant.optional(),
  notAfter: instant.optional(),
  configuration: z.record(z.string(), z.unknown()),
});

/** Asks for an extract, on P/{t}/extract. */
const extractRequest = z.strictObject({
  kind: z.literal('extract'),
  /** Answered once. */
  id: name,
  for: addressee,
  /** Required, so that a stored request can't be repeated without end. */
  notAfter: instant,
  what: z.enum(['log', 'journal', 'settlements']),
  since: instant.optional(),
  bytesMax: z.number().int().min(1_024).max(4_194_304).default(1_048_576),
});

const document = z.discriminatedUnion('kind', [configurationDocument, extractRequest]);

export type ConfigurationDocument = z.output<typeof configurationDocument>;
export type ExtractRequest = z.output<typeof extractRequest>;
export type FleetDocument = z.output<typeof document>;

export interface Recipient {
  readonly terminal: string;
  readonly group: string | undefined;
  readonly publicKeys: readonly string[];
}

/** The keys that a configuration names. */
export function keysIn({ fleet }: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  return z.object({ publicKeys: z.array(z.string()) }).safeParse(fleet).data?.publicKeys;
}

/** What a packet to the terminal has room for (http.bodyBytesMax by default). */
const bytesMax = 65_536;

/** The document of a message for this terminal; a sentence if there is none that counts. */
export function readDocument<Kind extends FleetDocument['kind']>(
  { payload, properties }: CloudMessage,
  kind: Kind,
  { terminal, group, publicKeys }: Recipient,
): Extract<FleetDocument, { kind: Kind }> | string {
  if (payload.length > bytesMax) return `it has more than ${bytesMax} bytes`;
  // Before anything that it says is read.
  if (signerOf(payload, properties?.[signatureProperty], publicKeys) === undefined)
    return 'nobody of the fleet has signed it';
  const parsed = parseDocument(payload);
  if (typeof parsed === 'string') return parsed;
  if (parsed.kind !== kind) return `it is a document of the kind ${parsed.kind}`;
  const isOurs = 'terminal' in parsed.for ? parsed.for.terminal === terminal : parsed.for.group === group;
  return isOurs ? (parsed as Extract<FleetDocument, { kind: Kind }>) : 'it is for another terminal';
}

/** A document as it is signed; a sentence if it is none. */
export function parseDocument(payload: Uint8Array): FleetDocument | string {
  let value: unknown;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(payload);
    value = JSON.parse(text);
  } catch {
    return 'it is no JSON';
  }
  const fault = keyFault(text);
  if (fault) return `${fault.pointer} ${fault.message}`;
  const parsed = document.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return `${issue?.path.join('.') || 'the document'}: ${issue?.message ?? 'is not acceptable'}`;
}
