import type { TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { MenuAnswer } from '../payment/contracts/operator-menu.ts';
import { answerWith } from './answer-with.ts';
import { openDiscrepancies } from '../payment/records/discrepancies.ts';
import { refuse } from './menu-answer.ts';
import type { MenuParts } from './menu-parts.ts';
import type { MenuReading } from './menu-request.ts';
import { openMatters } from './customer-matters.ts';
import { openExtraPayments } from './extra-payments.ts';
import { readClosedBatches, readFigures } from './figures.ts';
import { listReceipts } from './receipts.ts';
import { readStory } from './story.ts';
import { readDay, readOpeningsToday } from './today.ts';
import { waitingOnes } from './waiting.ts';
import { waitingBatches } from './waiting-batch.ts';

/**
 * Answers requests that change nothing. They are refused while a payment runs, because they would delay its commits.
 * Rejects with JournalError.
 */
export async function answerReading(asked: MenuReading, parts: MenuParts): Promise<MenuAnswer> {
  if (!parts.isIdle()) return refuse(409, 'busy');
  switch (asked.kind) {
    case 'today': {
      const day = await readDay(asked, parts);
      if (day === 'busy') return refuse(409, 'busy');
      return answerWith(asked.kind, { ...day, drawerOpenings: await readOpeningsToday(parts) });
    }
    case 'story': {
      const story = await readStory(asked.transaction as TerminalTransactionId, parts);
      return story ? answerWith(asked.kind, story) : refuse(404, 'unknown');
    }
    case 'report': {
      const figures = await readFigures(asked, parts.reports);
      if (figures === 'busy') return refuse(409, 'busy');
      return figures === 'unknown' ? refuse(404, 'unknown') : answerWith(asked.kind, figures);
    }
    case 'settlements':
      return answerWith(asked.kind, { batches: await readClosedBatches(parts.journal) });
    case 'machine': {
      const { devices, addresses, openDrawer: drawer } = parts.machine;
      const listed = addresses();
      const network = { addresses: listed ?? [], ...(listed ? {} : { addressesUnknown: true as const }) };
      return answerWith(asked.kind, { devices: devices(), ...network, prints: drawer !== undefined });
    }
    case 'receipts':
      return answerWith(asked.kind, { transactions: await listReceipts(parts) });
    case 'waiting':
      return answerWith(asked.kind, {
        transactions: await waitingOnes(parts),
        batches: await waitingBatches(parts),
        extraPayments: await openExtraPayments(parts),
        customerMatters: await openMatters(parts, parts),
        discrepancies: await openDiscrepancies(parts.journal),
      });
    default:
      return asked satisfies never;
  }
}
