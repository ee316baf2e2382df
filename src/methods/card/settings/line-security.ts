import * as z from 'zod';
import { filePath, unreadKey } from '../../../config/common-settings.ts';
import type { Contradiction } from '../../../config/contradiction.ts';

/** PEM of a key and a chain of certificates. */
const pemCharactersMax = 32_768;
const pinsMax = 4;
/** With colons, as `openssl x509 -fingerprint -sha256` prints it, or without, as `sha256sum` does. */
const pin = /^(?:[\dA-Fa-f]{64}|[\dA-Fa-f]{2}(?::[\dA-Fa-f]{2}){31})$/;

/** Secret. */
export const lineKey = z
  .string()
  .max(pemCharactersMax)
  .refine(
    (text) => text === unreadKey || /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text),
    'must be PEM of a private key',
  )
  .describe(
    'PEM of this terminal’s private key, possibly with its certificate; { "credential": NAME } in its place takes it from the credentials of the service',
  );

const tls = z.strictObject({
  ca: filePath()
    .optional()
    .describe('PEM file: the authority that the host’s certificate must come from; read for each connection'),
  pins: z
    .array(z.string().regex(pin, 'must be SHA-256 of a certificate: 32 bytes as hexadecimal, with colons or without'))
    .min(1)
    .max(pinsMax)
    .optional()
    .describe(
      'SHA-256 of the host’s certificate; more than one while it changes. Without ca, neither its name nor its authority is checked',
    ),
  serverName: z
    .string()
    .regex(/^[A-Za-z\d](?:[A-Za-z\d.-]{0,251}[A-Za-z\d])?$/, 'must be a host name')
    .optional()
    .describe('the name that the host’s certificate must have; that of host if absent'),
  clientCertificate: filePath()
    .optional()
    .describe('PEM file: this terminal’s certificate for the host, with its chain; read for each connection'),
  clientKey: lineKey.optional(),
  clientKeyFile: filePath()
    .optional()
    .describe('PEM file, instead of clientKey: readable by the service alone; read for each connection'),
});

/** How the connection to a card host is protected. */
export const lineSecurity = z
  .union([z.literal('none'), z.strictObject({ tls })])
  .describe(
    'TLS to the host, or "none" by decision; required for every address but loopback. A fleet can’t set it: docs/operations.md',
  );

interface Line {
  readonly security?: z.infer<typeof lineSecurity> | undefined;
}

/** Contradictions between settings of TLS. `at`: the place of the acquirer. */
export function ofLineSecurity({ security }: Line, at: number): Contradiction[] {
  if (security === undefined || security === 'none') return [];
  const { ca, pins, clientCertificate, clientKey, clientKeyFile } = security.tls;
  const place = ['acquirers', at, 'security', 'tls'];
  const hasKey = clientKey !== undefined || clientKeyFile !== undefined;
  return [
    ...(ca === undefined && pins === undefined
      ? [{ path: place, message: 'needs ca or pins: without either, any certificate would do' }]
      : []),
    ...(clientCertificate !== undefined && !hasKey
      ? [{ path: [...place, 'clientCertificate'], message: 'needs clientKey or clientKeyFile' }]
      : []),
    ...(clientKey !== undefined && clientKeyFile !== undefined
      ? [{ path: [...place, 'clientKeyFile'], message: 'is set beside clientKey: one of them is used' }]
      : []),
  ];
}
