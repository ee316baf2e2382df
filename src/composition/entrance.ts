import type { ApiParts } from '../api/call.ts';
import { JsonNumber } from '../api/json.ts';
import { payment } from '../api/payment.ts';
import { settlement } from '../api/settlement.ts';
import type { Configuration } from '../config/configuration.ts';
import { acquirerId } from '../domain/identifiers.ts';
import { type DeskParts, OperatorDesk } from '../operator/desk.ts';
import { OperatorPassword } from '../operator/password.ts';
import { RequestAuthenticator } from '../pairing/request-authenticator.ts';
import { PairedKeys } from '../pairing/paired-keys.ts';
import { Pairing } from '../pairing/pairing.ts';
import type { Random, SteadyClock } from '../ports/clock.ts';
import type { Journal } from '../ports/journal.ts';
import type { Log } from '../supervision/log.ts';
import { version } from '../supervision/version.ts';
import type { Forwarder } from '../terminal/forwarder.ts';
import { type TlsIdentity, tlsIdentity } from '../tls/tls-identity.ts';

/** Who may come in, and how. */
export interface Entrance {
  readonly tls?: TlsIdentity;
  readonly authenticator?: RequestAuthenticator;
  readonly pairing?: Pairing;
  /** The operator's menu, over the same calls that every POS makes. */
  readonly desk: (parts: ApiParts, queue: Queue, counter: Counter) => OperatorDesk;
  /** What waits for a host may be another number by now. */
  readonly queueChanged: () => void;
}

/** What runs on the terminal. */
type Counter = Pick<DeskParts, 'isIdle' | 'undisturbed'>;

/** What waits for the hosts. */
interface Queue {
  readonly journal: Journal;
  readonly forwarder: Pick<Forwarder, 'flush' | 'isUnsendable'>;
}

/** Rejects with an Error that says in a sentence which secret can't be read. */
export async function openEntrance(
  { stateDir, http, screen: { currency }, pairing: { required } }: Configuration,
  clock: SteadyClock,
  random: Random,
  log: Log,
): Promise<Entrance> {
  const tls = http.tls ? await tlsIdentity(stateDir, http.hostnames) : undefined;
  if (tls) log.info('tls', { fingerprint: tls.fingerprint });
  const keys = new PairedKeys(stateDir);
  const authenticator = required ? await RequestAuthenticator.open(keys, clock) : undefined;
  let made: OperatorDesk | undefined;
  const pairing = required ? new Pairing({ keys, clock, random, onChange: () => made?.notifyListeners() }) : undefined;
  const desk = (parts: ApiParts, { journal, forwarder }: Queue, counter: Counter) =>
    (made = new OperatorDesk({
      password: new OperatorPassword(stateDir, clock),
      journal,
      isUnsendable: (id) => forwarder.isUnsendable(id),
      onSetAside: ({ id, acquirer }, outcome) => {
        log.warn('set aside', { terminalTransactionId: id, acquirerId: acquirer, state: outcome });
        void forwarder.flush(acquirerId(acquirer));
      },
      onBatchDecided: ({ acquirer, batch, currency }, outcome) =>
        log.warn('batch decided', { acquirerId: acquirer, batch, currency, state: outcome }),
      settleWaiting: (request) => parts.terminal.settle({ ...request, digest: 'confirmed', waitingOnly: true }),
      acquirers: parts.means.profiles.map(({ id }) => id),
      pay: ({ requestAmount = '', ...body }) =>
        payment({ ...body, requestAmount: new JsonNumber(requestAmount) }, parts),
      settle: (body) => settlement(body, parts),
      ...counter,
      clock,
      random,
      currency,
      version,
      ...(tls ? { fingerprint: tls.fingerprint } : {}),
      ...(pairing ? { pairing } : {}),
      onFailure: (error) => log.failure('operator', error),
    }));
  return {
    ...(tls ? { tls } : {}),
    ...(authenticator ? { authenticator } : {}),
    ...(pairing ? { pairing } : {}),
    desk,
    queueChanged: () => void made?.refresh(),
  };
}
