import * as z from 'zod';
import { isLoopback } from '../base/domain/loopback.ts';
import { filePath } from './common-settings.ts';

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 02:30');

function isSafeBase(text: string): boolean {
  const url = URL.parse(text);
  if (!url || [url.username, url.password, url.search, url.hash].some((part) => part !== '')) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/** Updates from Eclipse hawkBit, installed by RAUC: for a terminal that was flashed with an image. */
export const updateSettings = z
  .strictObject({
    url: z
      .string()
      .max(2_048, { abort: true })
      .refine(isSafeBase, 'must be https://HOST or https://HOST/PATH; plain http is allowed to this machine only')
      .describe('hawkBit, without /TENANT/controller/v1'),
    tenant: z
      .string()
      .regex(/^[\w-]{1,63}$/, 'must be 1 to 63 letters, digits, _ or -')
      .default('DEFAULT'),
    controllerId: z
      .string()
      .regex(/^[\w.:-]{1,256}$/, 'must be 1 to 256 letters, digits, . _ : or -')
      .optional()
      .describe('the target’s id at hawkBit; the serial number if absent'),
    authentication: z
      .enum(['targetToken', 'gatewayToken', 'certificate'])
      .default('targetToken')
      .describe('what hawkBit knows the terminal by; a token is the credential poid.update-token'),
    ca: filePath().optional().describe('PEM file of who signs hawkBit’s certificate; the system’s if absent'),
    certificate: filePath()
      .optional()
      .describe('PEM file of the terminal’s certificate, with its chain; shown to the server of url alone'),
    key: filePath().optional().describe('PEM file of its key'),
    window: z
      .strictObject({ from: time, until: time })
      .refine(({ from, until }) => from !== until, {
        message: 'must differ from from: such a window never opens',
        path: ['until'],
      })
      .optional()
      .describe(
        'when it may install, in the shop’s time; /etc/poid/maintenance-window if absent, and always without both',
      ),
    forced: z
      .enum(['inWindow', 'atOnce'])
      .default('inWindow')
      .describe('when a forced action is installed; in both cases only while nobody pays'),
    bundleBytesMax: z
      .number()
      .int()
      .min(1_024)
      .max(17_179_869_184)
      .default(805_306_368)
      .describe('the largest bundle that is downloaded'),
    pollMs: z
      .number()
      .int()
      .min(1_000)
      .max(86_400_000)
      .default(300_000)
      .describe('how often hawkBit is asked where it does not say it itself'),
  })
  .superRefine(({ authentication, certificate, key }, context) => {
    const isUsed = authentication === 'certificate' || certificate !== undefined || key !== undefined;
    if (!isUsed) return;
    const message = `is missing: ${authentication === 'certificate' ? 'authentication says so' : 'certificate and key go together'}`;
    for (const [name, file] of Object.entries({ certificate, key }))
      if (file === undefined) context.addIssue({ code: 'custom', path: [name], message });
  });

export type UpdateSettings = z.infer<typeof updateSettings>;
