import * as z from 'zod';
import { isLoopback } from '../base/domain/loopback.ts';
import { filePath } from './common-settings.ts';

/** Without TLS everybody on the way could read and drop, and play the broker. */
function isPlainElsewhere(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'mqtt:' && !isLoopback(url.hostname);
}

function isBroker(text: string): boolean {
  const {
    hostname = '',
    port,
    username = '',
    password = '',
    pathname = '',
    search = '',
    hash = '',
  } = URL.parse(text) ?? {};
  if (hostname === '' || port === '0') return false;
  return [username, password, search, hash].every((part) => part === '') && ['', '/'].includes(pathname);
}

const credentials = ['ca', 'certificate', 'key'] as const;
const urlText = 'must be mqtts://HOST:PORT or mqtt://HOST:PORT, and nothing more';

export const cloudSettings = z
  .strictObject({
    url: z
      .url({
        protocol: /^mqtts?$/,
        abort: true,
        error: ({ code }) => (code === 'invalid_format' ? urlText : undefined),
      })
      .refine(isBroker, { message: urlText, abort: true })
      .refine((url) => !isPlainElsewhere(url), 'must be mqtts: plain mqtt is allowed to this machine only')
      .meta({
        pattern: '^[Mm][Qq][Tt][Tt][Ss]?:',
        description: 'the MQTT 5 broker, mqtts://broker.example:8883; plain mqtt to this machine only',
      }),
    ca: filePath().optional().describe('PEM file: the authority that the broker’s certificate must come from'),
    certificate: filePath().optional().describe('PEM file: this terminal’s certificate for the broker'),
    key: filePath().optional().describe('PEM file: its private key, readable by the service alone'),
    terminal: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be 1 to 64 letters, digits or -')
      .optional()
      .describe('this terminal’s name at the broker; the serial number that it was provisioned with if absent'),
    prefix: z
      .string()
      .regex(
        /^[A-Za-z0-9._-]{1,64}(?:\/[A-Za-z0-9._-]{1,64}){0,7}$/,
        'must be up to eight topic levels of letters, digits, . _ or -, with / between them',
      )
      .default('poid/v1')
      .describe('what all topics begin with'),
    keepAliveS: z
      .number()
      .int()
      .min(5)
      .max(600)
      .default(30)
      .describe('a silent connection is given up after one and a half times as long'),
    statusS: z.number().int().min(5).max(86_400).default(60).describe('interval of the status'),
  })
  .superRefine((cloud, context) => {
    if (URL.parse(cloud.url)?.protocol !== 'mqtts:') return;
    for (const name of credentials) {
      if (cloud[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'is missing: mqtts needs it' });
    }
  });
