import { boundsOf } from '../../config/bounds.ts';
import { type CardAcquirer as CardSettings, dialectOf } from './settings.ts';
import { iso8583Acquirer } from '../../hosts/iso8583/host.ts';
import { dialectFileSchema } from '../../hosts/iso8583/dialects/check.ts';
import { siteName } from '../../base/domain/site.ts';
import { type AcquirerId, acquirerId, type InitialNumbers } from '../../base/domain/identifiers.ts';
import { operationOf, transactionTypes } from '../../base/domain/transaction-kind.ts';
import type { AcquirerHost } from '../../payment/contracts/acquirer-host.ts';
import type { LateAnswer } from '../../payment/contracts/late-answer.ts';
import type {
  HostProtocol,
  MethodParts,
  OpenedHost,
  PaymentMethodModule,
} from '../../payment/method/payment-method-module.ts';
import type { OfflineLimits } from '../../payment/transaction/acquirer-profile.ts';
import { CardAcquirer, cardAcquirersIn } from './acquirer.ts';
import { cardDescription } from './description.ts';
import { LateAnswers } from './late-answers.ts';
import { cardMethod } from './method.ts';
import { initialNumbersAt } from './settings/initial-numbers.ts';
import { sitesOf } from './settings/sites.ts';

/** What card payments read of the configuration. */
interface Configured {
  readonly acquirers: readonly (CardSettings | { readonly protocol: 'qfpay' })[];
  readonly timeouts: { readonly noRecordGraceMs: number };
}

/** Cards at the reader, with ISO 8583 acquirers. EPS uses the same acquirers. */
export const card: PaymentMethodModule<Configured> = {
  description: cardDescription,
  async open({ acquirers, timeouts: { noRecordGraceMs } }, parts) {
    const { journal, queue: forwarder, clock, random, reader, reports } = parts;
    const cardAcquirers = cardAcquirersIn(parts.acquirers);
    const lateAnswers = new LateAnswers({
      journal,
      forwarder,
      acquirers: cardAcquirers,
      clock,
      random,
      onHeard: reports.onHeard,
      onFailure: (error) => reports.onFailure('late answer', error),
    });
    const onLate = (answer: LateAnswer) => {
      reports.onLateAnswer(answer);
      lateAnswers.hear(answer);
    };
    const configured = acquirers.filter((each) => each.protocol === 'iso8583');
    const begin = (id: AcquirerId, numbers: InitialNumbers) =>
      journal.beginNumbers(id, numbers).catch((error: unknown) => reports.onFailure('initial numbers', error));
    for (const { id, initialNumbers } of configured) {
      const numbers = initialNumbersAt(initialNumbers, clock.now());
      if (numbers) await begin(acquirerId(id), numbers);
    }
    const hosts = await parts.openHosts(configured, iso8583(parts, onLate, begin));
    const onFailure = (error: unknown) => reports.onFailure('settlement', error);
    return {
      methods: [cardMethod({ reader, cardAcquirers })],
      acquirers: hosts.map((each) => new CardAcquirer({ ...each, journal, clock, noRecordGraceMs, onFailure })),
      close: () => lateAnswers.close(),
    };
  },
};

function iso8583(
  {
    clock,
    keyCounters,
    reports: { onRecognition, onLine, onSite, onMessage },
  }: Pick<MethodParts, 'clock' | 'keyCounters' | 'reports'>,
  onLate: (answer: LateAnswer) => void,
  begin: (id: AcquirerId, numbers: InitialNumbers) => Promise<unknown>,
): HostProtocol<CardSettings, AcquirerHost> {
  return {
    open: async (settings, options) =>
      openHost(settings, {
        clock,
        keyCounter: settings.mac?.key.dukpt && (await keyCounters?.open(settings.mac.key.dukpt.ksn)),
        onLate,
        onRecognition,
        onMessage,
        onLine: (report) => onLine?.({ acquirerId: acquirerId(settings.id), ...report }),
        onSite: (site) => onSite?.({ acquirerId: acquirerId(settings.id), site }),
        onNumbers: (numbers) => void begin(acquirerId(settings.id), numbers),
        ...options,
      }),
    restore: (stored, present) =>
      stored.protocol === 'iso8583' ? restored(withLine(stored as CardSettings, present)) : undefined,
    close: (host) => host.close(),
  };
}

/**
 * A held acquirer at the present addresses uses the present `security` and `mac`. At another address it uses the stored
 * ones, with the present keys, because stored settings have no keys.
 */
function withLine(stored: CardSettings, present: CardSettings | undefined): CardSettings | undefined {
  const places = present && sitesOf(present).map(siteName);
  if (present && sitesOf(stored).every((each) => places?.includes(siteName(each))))
    return { ...stored, security: present.security, mac: present.mac };
  // The host would refuse messages without a code.
  const mac = stored.mac && present?.mac && { ...stored.mac, key: present.mac.key };
  if (stored.mac && !mac) return undefined;
  return { ...stored, security: securityWith(stored.security, present?.security), mac };
}

function securityWith(stored: CardSettings['security'], present: CardSettings['security']): CardSettings['security'] {
  if (typeof stored !== 'object' || stored.tls.clientKeyFile !== undefined) return stored;
  const key = typeof present === 'object' ? present.tls.clientKey : undefined;
  const { clientCertificate, ...others } = stored.tls;
  return { tls: key === undefined ? others : { ...others, clientCertificate, clientKey: key } };
}

/** Undefined if this version can't read the stored dialect, or if a key is missing. */
function restored(kept: CardSettings | undefined): CardSettings | undefined {
  if (!kept) return undefined;
  if (kept.dialectContent === undefined) return kept;
  const { data } = dialectFileSchema.safeParse(kept.dialectContent, { jitless: true });
  return data && { ...kept, dialectContent: data };
}

/** The kinds of transaction that an acquirer offers: those of its settings for which its dialect has a message. */
function kindsOf({ kinds, ...settings }: CardSettings): CardSettings['kinds'] {
  const dialect = dialectOf(settings);
  if (typeof dialect === 'string') return kinds;
  return (kinds ?? allKinds).filter((kind) => dialect.messages[operationOf(kind)] !== undefined);
}

const allKinds = transactionTypes.filter((type) => type !== 'VOID');

function openHost(settings: CardSettings, options: Parameters<typeof iso8583Acquirer>[1]): OpenedHost<AcquirerHost> {
  const id = acquirerId(settings.id);
  const [first] = sitesOf(settings);
  const host = iso8583Acquirer({ ...settings, ...first, id, dialect: dialectOf(settings) }, options);
  const limits = { ...host.limits, currencies: settings.currencies };
  const { dialectContent: _, ...shown } = settings;
  const kinds = kindsOf(settings);
  const profile = {
    ...shown,
    ...(kinds ? { kinds } : {}),
    ...(settings.partialApproval ? { approvesParts: true as const } : {}),
    id,
    offline: offlineLimits(settings),
    limits,
    bounds: boundsOf(settings.amounts),
  };
  return { profile, host };
}

function offlineLimits({ offline: { amountMinorMax, countMax, sumMinorMax } }: CardSettings): OfflineLimits {
  return { amountMinorMax: BigInt(amountMinorMax), countMax, sumMinorMax: BigInt(sumMinorMax) };
}
