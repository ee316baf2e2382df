import { type LineFault, lineFaults } from '../../base/domain/line-security.ts';

/** The terminal refuses the host for this reason. */
export class RefusedHost extends Error {
  override readonly name = 'RefusedHost';
  readonly code: LineFault;

  constructor(code: LineFault) {
    super(code);
    this.code = code;
  }
}

/** Results of the check of a certificate chain (OpenSSL, X509_STORE_CTX_get_error), as Node names them. */
const certificateFaults: Readonly<Record<string, LineFault>> = {
  CERT_HAS_EXPIRED: 'certificateExpired',
  CERT_NOT_YET_VALID: 'certificateNotYetValid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificateOfOtherName',
};

/** Any other result: the certificate is not trusted. */
export function certificateFault(code: string): LineFault {
  return certificateFaults[code] ?? 'certificateNotTrusted';
}

/** Alerts of a host (RFC 8446, 6.2) and faults of its records, by OpenSSL's names. */
const handshakeFaults: readonly (readonly [RegExp, LineFault])[] = [
  [
    /ALERT_(?:BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA|NO_CERTIFICATE|ACCESS_DENIED)/,
    'clientCertificateRefused',
  ],
  [/UNSUPPORTED_PROTOCOL|ALERT_PROTOCOL_VERSION|VERSION_TOO_LOW|WRONG_SSL_VERSION/, 'noCommonVersion'],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|BAD_RECORD_TYPE/, 'notTls'],
  [/^ERR_SSL_|^EPROTO$/, 'handshakeRefused'],
];

/** Why there is no connection. `isSecure`: the host has TLS. */
export function lineFaultOf(error: unknown, isSecure: boolean): LineFault {
  const { code = '' } = error as { readonly code?: string };
  const own = lineFaults.find((each) => each === code);
  if (own) return own;
  if (code === 'ETIMEDOUT') return 'noConnectionInTime';
  if (!isSecure) return 'unreachable';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'handshakeCut';
  return handshakeFaults.find(([pattern]) => pattern.test(code))?.[1] ?? 'unreachable';
}

/** Whether only a person can remove the fault, so that another attempt is useless. */
export function isLasting(fault: LineFault): boolean {
  return fault !== 'unreachable' && fault !== 'noConnectionInTime';
}
