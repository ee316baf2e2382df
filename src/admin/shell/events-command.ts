import type { TillEvent } from '../../pos/client/client.ts';
import { stateText } from './progress.ts';
import { jsonText, print } from '../../base/standard-output.ts';
import { shown } from './shown.ts';
import { Till, textOf, type TillFlags } from './till.ts';

/** `poid events`: the terminal's current state, and with --follow every change until it is stopped. */
export async function events(flags: TillFlags): Promise<number> {
  const till = new Till(flags);
  await till.reach();
  const end = new AbortController();
  const stop = () => end.abort();
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    const posId = textOf(flags, 'of');
    const events = till.client().client.events({ signal: end.signal, ...(posId === undefined ? {} : { posId }) });
    for await (const event of events) {
      await print(`${flags['json'] ? jsonText(event) : shown(eventText(event))}\n`);
      if (!flags['follow']) return 0;
    }
    return 0;
  } finally {
    end.abort();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

function eventText({ event, data }: TillEvent): string {
  const { at = '', posId, messageId, receiptStatus, receiptFault, reason } = data;
  const time = at.slice(11, 23);
  const owner = posId === undefined ? '' : `${posId} ${messageId ?? ''}`;
  const said = {
    receipt: `receipt ${(receiptStatus ?? '').toLowerCase()}${receiptFault === undefined ? '' : ` (${receiptFault})`}`,
    reset: `earlier events are not available: ${reason ?? ''}`,
  }[event];
  return [time.padEnd(12), (said ?? stateText(data)).padEnd(56), owner].join('  ').trimEnd();
}
