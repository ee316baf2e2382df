import { boundsOf } from '../../config/bounds.ts';
import type { CardAcquirer as CardSettings } from './settings.ts';
import { iso8583Acquirer } from '../../hosts/iso8583/host.ts';
import { acquirerId } from '../../base/domain/identifiers.ts';
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
    const hosts = await parts.openHosts(configured, iso8583(parts, onLate));
    const onFailure = (error: unknown) => reports.onFailure('settlement', error);
    return {
      methods: [cardMethod({ reader, cardAcquirers })],
      acquirers: hosts.map((each) => new CardAcquirer({ ...each, journal, clock, noRecordGraceMs, onFailure })),
      close: () => lateAnswers.close(),
    };
  },
};

function iso8583(
  { clock, reports: { onRecognition } }: Pick<MethodParts, 'clock' | 'reports'>,
  onLate: (answer: LateAnswer) => void,
): HostProtocol<CardSettings, AcquirerHost> {
  return {
    open: (settings, options) => openHost(settings, { clock, onLate, onRecognition, ...options }),
    restore: (stored) => (stored.protocol === 'iso8583' ? (stored as CardSettings) : undefined),
    close: (host) => host.close(),
  };
}

function openHost(settings: CardSettings, options: Parameters<typeof iso8583Acquirer>[1]): OpenedHost<AcquirerHost> {
  const id = acquirerId(settings.id);
  const host = iso8583Acquirer({ ...settings, id, dialect: settings.dialect ?? settings.id }, options);
  const limits = { ...host.limits, currencies: settings.currencies };
  const profile = { ...settings, id, offline: offlineLimits(settings), limits, bounds: boundsOf(settings.amounts) };
  return { profile, host };
}

function offlineLimits({ offline: { amountMinorMax, countMax, sumMinorMax } }: CardSettings): OfflineLimits {
  return { amountMinorMax: BigInt(amountMinorMax), countMax, sumMinorMax: BigInt(sumMinorMax) };
}
