import type { ApiParts } from '../../pos/api/call.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { Methods } from '../../payment/method/methods.ts';
import { statusReport, type StatusParts } from '../../observability/status.ts';
import { ReadingTurns } from '../../payment/terminal/reading-turns.ts';
import { Reports } from '../../payment/terminal/reports.ts';
import type { SaleOption } from '../../payment/options/sale-option.ts';
import { TransactionLists } from '../../payment/terminal/transaction-lists.ts';
import type { AccessControl } from './access-control.ts';
import type { DrawerOpenings } from './counter.ts';
import { merchantHeaders, merchantsOf } from './merchants.ts';
import type { OpenedMethods } from './open-methods.ts';
import { WaitingCalls } from '../../pos/api/waiting-calls.ts';

interface Opened extends Omit<StatusParts, 'isUnsendable' | 'tls' | 'acquirers' | 'faults' | 'held' | 'terminal'> {
  readonly queues: Pick<OpenedMethods, 'acquirers' | 'forwarder'> & Pick<StatusParts, 'faults' | 'held'>;
  readonly methods: Pick<Methods, 'modes'>;
  readonly accessControl: Pick<AccessControl, 'tls' | 'pairing'>;
  readonly terminal: StatusParts['terminal'] & ApiParts['terminal'];
  readonly openings: Pick<DrawerOpenings, 'book'>;
  readonly options: readonly SaleOption[];
}

/** The parts that the API's calls use. */
export function makeApiParts(
  configuration: Configuration,
  {
    queues: { acquirers, forwarder, faults, held },
    methods,
    accessControl: { tls, pairing },
    openings,
    ...opened
  }: Opened,
  more: Pick<ApiParts, 'reprints' | 'counter'> & { readonly shopLogo: string },
): Omit<ApiParts, 'status'> & { readonly status: () => ReturnType<typeof statusReport> } {
  const { shop, receipt, timeouts, printer, counter } = configuration;
  const { rights } = configuration.pairing;
  const merchants = merchantsOf(configuration);
  const { shopLogo, ...handlers } = more;
  const { terminal } = opened;
  const turns = new ReadingTurns();
  const isUnsendable: StatusParts['isUnsendable'] = (id) => forwarder.isUnsendable(id);
  return {
    ...handlers,
    terminal,
    waiting: new WaitingCalls(),
    pictures: new ReadingTurns(),
    lists: new TransactionLists({ journal: opened.journal, acquirers, terminal, turns }),
    reports: new Reports({
      journal: opened.journal,
      acquirers,
      turns,
      merchants,
      hasDrawer: printer !== undefined,
      drawer: openings.book,
    }),
    reportsAll: (posId) => Object.hasOwn(rights, posId) && rights[posId]?.reportAll === true,
    capabilities: {
      profiles: [...acquirers.values()].map(({ profile }) => profile),
      modes: methods.modes,
      options: opened.options,
      merchants,
    },
    collectTimes: {
      usualMs: timeouts.collectMs,
      leastMs: timeouts.collectLeastMs,
      mostMs: timeouts.collectMostMs,
    },
    status: () =>
      statusReport({
        ...opened,
        acquirers,
        held,
        ...(faults ? { faults } : {}),
        isUnsendable,
        ...(tls ? { tls } : {}),
      }),
    cardNumbers: counter.cardNumbers,
    shop: { ...shop, logo: shopLogo },
    merchantHeaders: merchantHeaders(configuration),
    answerFor: (posId) => answerFor(posId, receipt),
    ...(pairing ? { pairing } : {}),
  };
}

function answerFor(posId: string, receipt: Configuration['receipt']): ReturnType<ApiParts['answerFor']> {
  const own = Object.hasOwn(receipt.printedByPosId, posId) ? receipt.printedByPosId[posId] : undefined;
  const printedBy = own ?? receipt.printedBy;
  // A POS that prints needs the print data (SPEC §2.4).
  return { shape: printedBy === 'pos' ? 'B' : 'A', printedBy };
}
