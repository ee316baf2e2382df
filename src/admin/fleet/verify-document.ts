import * as z from 'zod';
import type { Configuration } from '../../config/configuration.ts';
import type { Json } from '../../config/json-file.ts';
import { findUnsettable } from '../../config/settable.ts';
import { readDocument } from '../../fleet/documents/documents.ts';
import { signatureProperty } from '../../fleet/documents/signed.ts';

const signed = z.object({ payload: z.string(), signature: z.string() });

/**
 * What the fleet has set, by a document that the service has kept; a sentence if it does not count. The service could have
 * written anything: so its signature is checked again, with the keys of the terminal's own configuration, and what it may set.
 * `publicKeys`: those of them that still count; all by default.
 */
export function verifyDocument(
  kept: unknown,
  own: Configuration,
  serialNumber: string | undefined,
  publicKeys: readonly string[] = own.fleet?.publicKeys ?? [],
): Json | string {
  const { fleet, cloud } = own;
  const found = signed.safeParse(kept);
  if (!fleet || !found.success) return 'its signed document is missing';
  const message = {
    payload: Buffer.from(found.data.payload, 'base64'),
    properties: { [signatureProperty]: found.data.signature },
  };
  const terminal = cloud?.terminal ?? serialNumber ?? '';
  const document = readDocument(message, 'configuration', { publicKeys, terminal, group: fleet.group });
  if (typeof document === 'string') return document;
  return findUnsettable(document.configuration) ?? document.configuration;
}
