import { isLoopbackHost } from './loopback.ts';

/** How the connection to a host of cards is protected, as the configuration has it. */
export interface LineTls {
  /** PEM file of the authority that the host's certificate must come from. */
  readonly ca?: string | undefined;
  /** SHA-256 of the host's certificate; more than one while it changes. */
  readonly pins?: readonly string[] | undefined;
  /** The name in the host's certificate, if it is not `host`. */
  readonly serverName?: string | undefined;
  /** PEM file of this terminal's certificate, with its chain. */
  readonly clientCertificate?: string | undefined;
  /** PEM of its private key, possibly with the certificate. */
  readonly clientKey?: string | undefined;
  /** PEM file of the same. */
  readonly clientKeyFile?: string | undefined;
}

export interface SecuredLine {
  readonly host: string;
  /** Absent: nobody has decided yet. */
  readonly security?: 'none' | { readonly tls: LineTls } | undefined;
}

/**
 * loopback: not protected, and never leaves this machine. none: not protected, by decision. undecided: not protected,
 * because the configuration does not say what holds.
 */
export type LineSecurity = 'tls' | 'none' | 'undecided' | 'loopback';

export function securityOf({ host, security }: SecuredLine): LineSecurity {
  if (security === 'none') return 'none';
  if (security !== undefined) return 'tls';
  return isLoopbackHost(host) ? 'loopback' : 'undecided';
}

/** That of a host with several addresses: if one of them is undecided, it is. */
export function securityOfSites(
  sites: readonly Pick<SecuredLine, 'host'>[],
  security: SecuredLine['security'],
): LineSecurity {
  const all = sites.map(({ host }) => securityOf({ host, security }));
  return all.find((each) => each !== 'loopback') ?? 'loopback';
}

/**
 * Why a host of cards can't be reached or is not trusted. The first ones need the bank or the person who has
 * configured this terminal.
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
  // the network
  'unreachable',
  'noConnectionInTime',
] as const;
export type LineFault = (typeof lineFaults)[number];

/** What a host of cards shows of a certificate. Times are ISO 8601. */
export interface LineCertificate {
  readonly notBefore: string;
  readonly notAfter: string;
  /** SHA-256, as in `pins`. */
  readonly fingerprint: string;
}

/** The present state of the connection to a host of cards. */
export interface LineReport {
  /** Which site it is, of a host with several. */
  readonly site?: string | undefined;
  readonly security: LineSecurity;
  /** `since`: ISO 8601. Absent once the host was connected to. */
  readonly fault?: { readonly reason: LineFault; readonly since: string } | undefined;
  /** Whether the host accepted the latest sign-on; absent if it wants none. */
  readonly isSignedOn?: boolean | undefined;
  /** The host's, from the latest connection or from the one that was refused because of it. */
  readonly certificate?: LineCertificate | undefined;
  /** This terminal's own for that host. */
  readonly clientCertificate?: LineCertificate | undefined;
}
