import type { ApiParts } from '../api/call.ts';
import { JsonNumber } from '../api/json.ts';
import { payment } from '../api/payment.ts';
import { printReport } from '../api/report-print.ts';
import { settlement } from '../api/settlement.ts';
import { acquirerId } from '../domain/identifiers.ts';
import { receiptLanguages } from '../domain/receipt-language.ts';
import { OperatorDesk } from '../operator/desk.ts';
import type { DeskParts } from '../operator/desk-parts.ts';
import { wordsOf } from '../receipt/language.ts';
import type { StoreAndForward } from '../terminal/store-and-forward.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The parts of the menu, besides the calls of the POS interface. */
export interface DeskOptions
  extends Omit<
    DeskParts,
    | 'acquirers'
    | 'isIdle'
    | 'isUnsendable'
    | 'lists'
    | 'methodNames'
    | 'onSetAside'
    | 'pay'
    | 'printReport'
    | 'profiles'
    | 'reports'
    | 'settle'
    | 'settleWaiting'
    | 'takesBatch'
    | 'undisturbed'
  > {
  readonly terminal: Terminal;
  readonly forwarder: Pick<StoreAndForward, 'flush' | 'isUnsendable'>;
  readonly onSetAside?: DeskParts['onSetAside'];
}

/** The operator's menu, which uses the same calls as every POS. */
export function makeDesk(pos: ApiParts, { terminal, forwarder, onSetAside, ...options }: DeskOptions): OperatorDesk {
  // The operator has no till that prints.
  const api: ApiParts = { ...pos, answerFor: () => ({ shape: 'A', printedBy: 'terminal' }) };
  const { profiles } = api.means;
  return new OperatorDesk({
    ...options,
    acquirers: profiles.map(({ id }) => id),
    profiles,
    lists: api.lists,
    reports: api.reports,
    methodNames: Object.fromEntries(receiptLanguages.map((language) => [language, wordsOf(language).methods])),
    isIdle: () => terminal.running === undefined,
    undisturbed: (work) => terminal.runUndisturbed(work),
    takesBatch: terminal.room.takesBatch,
    isUnsendable: (id) => forwarder.isUnsendable(id),
    onSetAside: (one, outcome) => {
      onSetAside?.(one, outcome);
      void forwarder.flush(acquirerId(one.acquirer));
    },
    pay: ({ requestAmount = '', ...body }) =>
      payment({ ...body, requestAmount: new JsonNumber(String(requestAmount)) }, api),
    settle: (body) => settlement(body, api),
    printReport: ({ batch, ...body }) =>
      printReport({ ...body, ...(batch === undefined ? {} : { batch: new JsonNumber(String(batch)) }) }, api),
    settleWaiting: (request) => terminal.settle({ ...request, digest: 'confirmed', waitingOnly: true }),
  });
}
