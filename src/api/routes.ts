import type { Handler } from './call.ts';
import { cancel } from './cancel.ts';
import { enquiry } from './enquiry.ts';
import { openApi } from './openapi.ts';
import { payment } from './payment.ts';
import { capabilityReport } from './possible.ts';
import { receipt } from './receipt.ts';
import { settlement } from './settlement.ts';

/** Path → method → handler. */
export const routes: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  '/sp/v1/payment': { POST: payment },
  '/sp/v1/enquiry': { POST: enquiry },
  '/sp/v1/cancel': { POST: cancel },
  '/sp/v1/settlement': { POST: settlement },
  '/sp/v1/receipt': { POST: receipt },
  '/sp/v1/status': { GET: async (_body, { status }) => ({ status: 200, body: await status() }) },
  '/sp/v1/capabilities': { GET: async (_body, { profiles }) => ({ status: 200, body: capabilityReport(profiles) }) },
  '/openapi.json': { GET: async () => ({ status: 200, body: openApi }) },
};
