import type { ApiParts } from '../../pos/api/call.ts';
import { JsonNumber } from '../../pos/contracts/pos-calls.ts';
import { payment } from '../../pos/api/payment.ts';
import { printReport } from '../../pos/api/report-print.ts';
import { settlement } from '../../pos/api/settlement.ts';
import { type AcquirerId, acquirerId } from '../../base/domain/identifiers.ts';
import { receiptLanguages } from '../../base/domain/receipt-language.ts';
import type { Acquirer } from '../../payment/method/acquirer.ts';
import { OperatorMenu } from '../../operator/menu.ts';
import type { MenuParts } from '../../operator/menu-parts.ts';
import { wordsOf } from '../../receipt/language.ts';
import type { StoreAndForward } from '../../payment/terminal/store-and-forward.ts';
import type { Terminal } from '../../payment/terminal/terminal.ts';

/** The parts of the menu, besides the calls of the POS interface. */
export interface MenuOptions
  extends Omit<
    MenuParts,
    | 'acquirers'
    | 'decide'
    | 'isIdle'
    | 'isUnsendable'
    | 'lists'
    | 'merchants'
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
  readonly forwarder: Pick<StoreAndForward, 'between' | 'flush' | 'isUnsendable'>;
  /** The acquirers that have a queue. */
  readonly acquirers: ReadonlyMap<AcquirerId, Pick<Acquirer, 'decide'>>;
  readonly onSetAside?: MenuParts['onSetAside'];
}

/**
 * While an acquirer takes part in the decision, nothing is sent for it. If the acquirer is no longer configured,
 * nothing can be verified.
 */
export function decideWith({
  acquirers,
  forwarder,
}: Pick<MenuOptions, 'acquirers'> & { readonly forwarder: Pick<StoreAndForward, 'between'> }): MenuParts['decide'] {
  return async (acquirerId, id, write) => {
    const acquirer = acquirers.get(acquirerId);
    if (acquirer?.decide) return forwarder.between(acquirerId, async () => acquirer.decide?.(id, write) ?? true);
    await write(acquirer !== undefined);
    return true;
  };
}

/** The operator's menu, which uses the same calls as every POS. */
export function makeMenu(
  pos: ApiParts,
  { terminal, forwarder, acquirers, onSetAside, ...options }: MenuOptions,
): OperatorMenu {
  // The operator has no till that prints.
  const api: ApiParts = { ...pos, answerFor: () => ({ shape: 'A', printedBy: 'terminal' }) };
  const { profiles, merchants } = api.capabilities;
  return new OperatorMenu({
    ...options,
    acquirers: profiles.map(({ id }) => id),
    profiles,
    ...(merchants ? { merchants: merchants.all } : {}),
    lists: api.lists,
    reports: api.reports,
    methodNames: Object.fromEntries(receiptLanguages.map((language) => [language, wordsOf(language).methods])),
    isIdle: () => terminal.running === undefined,
    undisturbed: (work) => terminal.runUndisturbed(work),
    takesBatch: terminal.room.takesBatch,
    isUnsendable: (id) => forwarder.isUnsendable(id),
    decide: decideWith({ acquirers, forwarder }),
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
