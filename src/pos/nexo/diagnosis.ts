import { type Asked, bodyOf, type NexoParts } from './outcome.ts';
import type { Handled } from './payment.ts';
import { failureOf, success } from './response.ts';

interface Status {
  readonly ready?: boolean;
  readonly state?: string;
  readonly devices?: Readonly<
    Record<string, { readonly state: string; readonly fault?: string; readonly paper?: string }>
  >;
}

const printerStates: Readonly<Record<string, string>> = { 'paper-out': 'NoPaper' };

/** What the terminal's status has of what this answer can tell. */
export async function handleDiagnosis({ caller }: Asked, { calls }: NexoParts): Promise<Handled> {
  const answer = await calls.status({ query: new URLSearchParams() }, caller);
  const body = bodyOf(answer);
  if (body.responseResult !== 'SUCCESS') return { response: { Response: failureOf(answer.status, body) } };
  const { ready = false, state, devices = {} } = body as Status;
  const { reader, printer } = devices;
  const isReading = reader?.state === 'ready';
  return {
    response: {
      Response: success,
      POIStatus: {
        GlobalStatus: ready ? (state === 'idle' ? 'OK' : 'Busy') : 'Maintenance',
        CardReaderOKFlag: isReading,
        PEDOKFlag: isReading,
        CommunicationOKFlag: true,
        ...(printer ? { PrinterStatus: printerStatus(printer) } : {}),
      },
    },
  };
}

function printerStatus({ state, fault = 'none', paper }: NonNullable<Status['devices']>[string]): string {
  if (state !== 'ready') return 'OutOfOrder';
  if (fault !== 'none') return printerStates[fault] ?? 'OutOfOrder';
  if (paper === 'out') return 'NoPaper';
  return paper === 'low' ? 'PaperLow' : 'OK';
}
