import type { AcquirerId } from '../../base/domain/identifiers.ts';
import { isLoopback } from '../../base/domain/loopback.ts';
import { hostDateTime } from './host-time.ts';
import type { SignType } from './signature.ts';
import type { HostWallet } from './wallets.ts';

export interface QfpayOptions {
  readonly id: AcquirerId;
  /** https, with the path before '/trade', if there is one; http to this machine only. */
  readonly url: string;
  readonly appCode: string;
  readonly clientKey: string;
  /** Default: SHA256. */
  readonly signType?: SignType | undefined;
  /** `mchid`, 16 characters at most: only where the host has assigned one. */
  readonly mchid?: string | undefined;
  /** `udid`, 40 characters at most. */
  readonly tid: string;
  /** The merchant's wallets at the host. */
  readonly wallets: readonly HostWallet[];
  /** Default: verified, which accepts an answer without a signature. A wrong signature is never accepted. */
  readonly answerSignature?: 'verified' | 'required' | undefined;
  /**
   * For this long after an order was sent, "no such order" proves nothing, because the host's query may lag behind its
   * books.
   */
  readonly queryLagMs?: number | undefined;
  readonly connectTimeoutMs: number;
  readonly replyTimeoutMs: number;
  /** `expired_time` of a shown code: 5 to 120, default 5. */
  readonly codeMinutes?: number | undefined;
  /** The host's time zone, an IANA name. Default: Asia/Hong_Kong. */
  readonly timeZone?: string | undefined;
  /** CA certificates (PEM) for an https host, instead of those that come with Node. */
  readonly ca?: string | undefined;
}

/**
 * Checks the options at the start; otherwise a wrong one would show at the first payment only. Throws RangeError, which
 * names no value.
 */
export function checkOptions(options: QfpayOptions): void {
  const { appCode, clientKey, mchid, tid, wallets, codeMinutes = 5, timeZone } = options;
  checkUrl(options.url);
  if (!/^[\x21-\x7e]{1,128}$/.test(appCode)) throw new RangeError('appCode is 1 to 128 printable characters');
  if (!/^[\x21-\x7e]{1,128}$/.test(clientKey)) throw new RangeError('clientKey is 1 to 128 printable characters');
  if (mchid !== undefined && !/^[\dA-Za-z]{1,16}$/.test(mchid))
    throw new RangeError('mchid is 1 to 16 letters or digits');
  if (!/^[\dA-Za-z_-]{1,40}$/.test(tid)) throw new RangeError("tid is 1 to 40 letters, digits, '-' or '_'");
  for (const taken of wallets.flatMap(({ scanned, presented }) => [scanned ?? [], presented ?? []].flat())) {
    if (!/^\d{6}$/.test(taken.payType)) throw new RangeError('a pay type is 6 digits');
  }
  if (!Number.isInteger(codeMinutes) || codeMinutes < 5 || codeMinutes > 120) {
    throw new RangeError('codeMinutes is a whole number from 5 to 120');
  }
  checkTimeZone(timeZone);
}

function checkTimeZone(timeZone: string | undefined): void {
  try {
    hostDateTime(new Date(0), timeZone);
  } catch {
    // The error of Intl is not passed on, because it quotes the value.
    throw new RangeError('timeZone is a name of the IANA time zone database');
  }
}

function checkUrl(text: string): void {
  const url = URL.parse(text);
  const plain = url && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!plain || !/^https?:$/.test(url.protocol)) throw new RangeError('url is http or https, host and path only');
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new RangeError('url is https: http, which anybody on the network can alter, is allowed to this machine only');
  }
}
