import { isLoopbackHost } from './loopback.ts';

/** The protection of the connection to a card host, as configured. */
export interface LineTls {
  /** PEM file of the authority that must have issued the host's certificate. */
  readonly ca?: string | undefined;
  /** SHA-256 of the host's certificate; several while it is replaced. */
  readonly pins?: readonly string[] | undefined;
  /** The name in the host's certificate, if it differs from `host`. */
  readonly serverName?: string | undefined;
  /** PEM file of this terminal's certificate, with its chain. */
  readonly clientCertificate?: string | undefined;
  /** PEM of its private key, possibly with the certificate. */
  readonly clientKey?: string | undefined;
  /** PEM file of the private key, possibly with the certificate. */
  readonly clientKeyFile?: string | undefined;
}

export interface SecuredLine {
  readonly host: string;
  /** Absent: the configuration does not set it. */
  readonly security?: 'none' | { readonly tls: LineTls } | undefined;
}

/**
 * loopback: not protected, and never leaves this machine. none: not protected, as configured. undecided: not protected,
 * because the configuration does not set `security`.
 */
export type LineSecurity = 'tls' | 'none' | 'undecided' | 'loopback';

export function securityOf({ host, security }: SecuredLine): LineSecurity {
  if (security === 'none') return 'none';
  if (security !== undefined) return 'tls';
  return isLoopbackHost(host) ? 'loopback' : 'undecided';
}

/** The security of a host with several addresses: undecided if one of them is. */
export function securityOfSites(
  sites: readonly Pick<SecuredLine, 'host'>[],
  security: SecuredLine['security'],
): LineSecurity {
  const all = sites.map(({ host }) => securityOf({ host, security }));
  return all.find((each) => each !== 'loopback') ?? 'loopback';
}

/**
 * Why no key that is used only once (DUKPT) can be used. Lost: the counter is missing in the file. Behind: the file
 * is older than the journal. Restored: an older copy of the journal was put back, and the file may be equally old.
 */
export const keyCounterFaults = [
  'keyCounterLost',
  'keyCounterDamaged',
  'keyCounterBehind',
  'keyCounterRestored',
  'keyCounterNotWritten',
  'keysExhausted',
] as const;
export type KeyCounterFault = (typeof keyCounterFaults)[number];

/**
 * Why a card host can't be reached or is not trusted. The first ones require action by the bank or by the person who
 * has configured this terminal.
 */
export const lineFaults = [
  // the host's certificate
  'certificateExpired',
  'certificateNotYetValid',
  'certificateOfOtherName',
  'certificateNotPinned',
  'certificateNotTrusted',
  // this terminal's own files
  'trustUnusable',
  'clientCertificateUnusable',
  'clientCertificateExpired',
  // the handshake
  'clientCertificateRefused',
  'noCommonVersion',
  'handshakeRefused',
  'handshakeCut',
  'notTls',
  // its messages
  'macNotValid',
  'signOnRefused',
  'signOnNotAnswered',
  'requestsNotAnswered',
  'keyExchangeRefused',
  'keyExchangeNotAnswered',
  'keyCheckFailed',
  ...keyCounterFaults,
  // the network
  'unreachable',
  'noConnectionInTime',
] as const;
export type LineFault = (typeof lineFaults)[number];

/** A certificate of the line to a card host. Times are ISO 8601. */
export interface LineCertificate {
  readonly notBefore: string;
  readonly notAfter: string;
  /** SHA-256, as in `pins`. */
  readonly fingerprint: string;
}

/** The present state of the connection to a card host. */
export interface LineReport {
  /** The site, if the host has several. */
  readonly site?: string | undefined;
  readonly security: LineSecurity;
  /** `since`: ISO 8601. Absent after a successful connection. */
  readonly fault?: { readonly reason: LineFault; readonly since: string } | undefined;
  /** Whether the host accepted the latest sign-on; absent if the dialect has none. */
  readonly isSignedOn?: boolean | undefined;
  /** The host's certificate, from the latest connection or from the latest refused attempt. */
  readonly certificate?: LineCertificate | undefined;
  /** This terminal's certificate for that host. */
  readonly clientCertificate?: LineCertificate | undefined;
}
