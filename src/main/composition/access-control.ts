import type { ApiParts } from '../../pos/api/call.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { OperatorMenu } from '../../operator/menu.ts';
import { OperatorAudit } from '../../operator/audit.ts';
import { OperatorPassword } from '../../operator/password.ts';
import type { RefundRight } from '../../operator/unlinked-refund.ts';
import { PairedKeys } from '../../pos/pairing/paired-keys.ts';
import { Pairing } from '../../pos/pairing/pairing.ts';
import { RequestAuthenticator } from '../../pos/pairing/request-authenticator.ts';
import type { Random, MonotonicClock } from '../../base/ports/clock.ts';
import type { Log } from '../../observability/log.ts';
import { currentVersion } from '../../observability/version.ts';
import { type TlsIdentity, tlsIdentity } from '../../base/tls/tls-identity.ts';
import { type MenuOptions, makeMenu } from './operator-menu.ts';
import { listOwnAddresses, ownNames } from '../../base/own-addresses.ts';
import { StartError } from './start-error.ts';

/** Access to the terminal: TLS, pairing, and the operator's menu. */
export interface AccessControl {
  /** Set if the API uses HTTPS. */
  readonly tls?: TlsIdentity;
  /** The same for a protocol that always uses TLS: made if there is none yet. */
  readonly identity: () => Promise<TlsIdentity>;
  /** Set if tills of the local network must be paired. */
  readonly authenticator?: RequestAuthenticator;
  /** Set if there are tills in the cloud, which always must. */
  readonly cloudAuthenticator?: RequestAuthenticator;
  readonly pairing?: Pairing;
  /** The operator's menu. */
  readonly menu: (
    api: ApiParts,
    parts: Pick<
      MenuOptions,
      | 'journal'
      | 'forwarder'
      | 'acquirers'
      | 'terminal'
      | 'notices'
      | 'receipts'
      | 'machine'
      | 'unknownTo'
      | 'held'
      | 'lines'
    >,
  ) => OperatorMenu;
  /** Called when the number of waiting messages may have changed. */
  readonly queueChanged: () => void;
}

/** Rejects with a StartError that names the secret that can't be read. */
export async function openAccessControl(
  configuration: Configuration,
  clock: MonotonicClock,
  random: Random,
  log: Log,
): Promise<AccessControl> {
  return open(configuration, clock, random, log).catch((error: unknown) => {
    throw new StartError((error as Error).message);
  });
}

async function open(
  { stateDir, http, screen: { currency }, pairing: { required }, rules, operator, cloud }: Configuration,
  clock: MonotonicClock,
  random: Random,
  log: Log,
): Promise<AccessControl> {
  const identity = () =>
    tlsIdentity(stateDir, () => listCertificateNames(http, log)).catch((error: unknown) => {
      throw new StartError((error as Error).message);
    });
  const tls = http.tls ? await identity() : undefined;
  if (tls) log.info('tls', { fingerprint: tls.fingerprint });
  const keys = new PairedKeys(stateDir);
  const isPaired = required || cloud !== undefined;
  // Shared by both, so that a call to one can't be repeated on the other.
  const authenticator = isPaired ? await openAuthenticator(keys, clock, required, log) : undefined;
  let made: OperatorMenu | undefined;
  const pairing = isPaired ? new Pairing({ keys, clock, random, onChange: () => made?.notifyListeners() }) : undefined;
  const secured = { ...(tls ? { fingerprint: tls.fingerprint } : {}), ...(pairing ? { pairing } : {}) };
  const menu: AccessControl['menu'] = (api, parts) =>
    (made = makeMenu(api, {
      ...parts,
      ...secured,
      password: new OperatorPassword(stateDir, clock),
      audit: new OperatorAudit(stateDir, clock),
      rules,
      refundRight: refundRightOf(operator.unlinkedRefund),
      onSetAside: ({ id, acquirer }, outcome) =>
        log.warn('set aside', { terminalTransactionId: id, acquirerId: acquirer, state: outcome }),
      onBatchDecided: ({ acquirer, batch, currency: of }, outcome) =>
        log.warn('batch decided', { acquirerId: acquirer, batch, currency: of, state: outcome }),
      clock,
      random,
      currency,
      version: currentVersion(),
      onFailure: (error) => log.failure('operator', error),
    }));
  return {
    ...(tls ? { tls } : {}),
    identity,
    ...(authenticator && required ? { authenticator } : {}),
    ...(authenticator && cloud ? { cloudAuthenticator: authenticator } : {}),
    ...(pairing ? { pairing } : {}),
    menu,
    queueChanged: () => void made?.refresh(),
  };
}

/**
 * A terminal that can't list its addresses starts all the same: tills can pin its certificate, or call it by a name.
 */
function listCertificateNames({ hostnames }: Configuration['http'], log: Log): readonly string[] {
  const { addresses, fault } = listOwnAddresses();
  if (fault !== undefined) log.warn('tls', { reason: `${fault}. The new certificate names none of them` });
  return [...hostnames, ...ownNames(), ...addresses.map(({ address }) => address)];
}

/** If the shop's own tills need no key, it sells without the keys: the cloud gets errors until they can be read. */
async function openAuthenticator(keys: PairedKeys, clock: MonotonicClock, required: boolean, log: Log) {
  try {
    return await RequestAuthenticator.open(keys, clock);
  } catch (error) {
    if (required) throw error;
    log.failure('pairing', error);
    return RequestAuthenticator.openUnread(keys, clock);
  }
}

function refundRightOf(most: Configuration['operator']['unlinkedRefund']): RefundRight {
  return Object.fromEntries(Object.entries(most).map(([currency, minor]) => [currency, BigInt(minor)]));
}
