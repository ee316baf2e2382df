import * as z from 'zod';
import type { Configuration } from '../../config/configuration.ts';
import type { Json } from '../../config/json-file.ts';
import { findUnsettable } from '../../config/settable.ts';
import { readDocument } from '../../fleet/documents/documents.ts';
import { signatureProperty } from '../../fleet/documents/signed.ts';

const signed = z.object({ payload: z.string(), signature: z.string() });

/**
 * The fleet's settings from a document that the service has kept; a sentence if it is not valid. The service could have
 * written anything, so the signature is checked again, with the keys of the terminal's own configuration, and so are
 * the settings that it may change. `publicKeys`: those of them that still count; all by default.
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
