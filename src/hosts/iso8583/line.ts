import type { X509Certificate } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { dialHost, type SecureTarget } from '../../base/dial/dial.ts';
import {
  type KeyCounterFault,
  keyCounterFaults,
  type LineFault,
  type LineReport,
  type LineSecurity,
  type LineTls,
  type SecuredLine,
  securityOf,
} from '../../base/domain/line-security.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { Dial, HostAddress } from './dial.ts';
import { certificateFault, isLasting, lineFaultOf, RefusedHost } from './line-fault.ts';
import type { KeyFault, SignOnFault } from './network.ts';
import { describeCertificate, type LineMaterial, readMaterial } from './line-files.ts';

/** Called when a fault begins, changes or ends. */
export type LineListener = (report: LineReport) => void;

/** A session of a trusted host. It is valid while the files and settings of the line stay the same. */
interface Resumable {
  readonly digest: string;
  readonly session: Buffer;
  /** Kept, because a resumed handshake does not have the certificate. */
  readonly certificate: X509Certificate;
}

/**
 * With TLS 1.3 a terminal's handshake ends before the host has checked its certificate. The host's next record, usually
 * a session ticket, shows whether the host accepts it (RFC 8446, 4.6.1). If a host sends no tickets, the line waits
 * this long, once.
 */
const acceptanceMs = 250;

/** After this number of failed handshakes in a row the line pauses between attempts. */
const failuresBeforeRest = 3;
const firstRestMs = 1_000;
const restMsMax = 30_000;

const signOnFaults = ['signOnRefused', 'signOnNotAnswered'] as const satisfies readonly SignOnFault[];
const keyFaults = [
  'keyExchangeRefused',
  'keyExchangeNotAnswered',
  'keyCheckFailed',
] as const satisfies readonly KeyFault[];
const isOfCounter = (fault: LineFault | undefined) => keyCounterFaults.some((each) => each === fault);
/** Faults that end with a valid message of the host, not with a new connection. */
const messageFaults = ['macNotValid', ...signOnFaults, ...keyFaults, ...keyCounterFaults] as const;

/** The line to one card host: TCP, or TLS with authentication of the host. */
export class CardLine {
  readonly #line: SecuredLine;
  readonly #onChange: LineListener;
  #fault: LineReport['fault'];
  /** Undefined until the first sign-on. */
  #isSignedOn: boolean | undefined;
  /** Whether there are working keys; true if none are needed. */
  #hasKeys = true;
  #certificate: X509Certificate | undefined;
  #client: X509Certificate | undefined;
  #resumable: Resumable | undefined;
  #sendsTickets = true;
  #failures = 0;
  #failedDigest: string | undefined;
  #restUntilMs = 0;

  constructor(line: SecuredLine, onChange: LineListener = () => undefined) {
    this.#line = line;
    this.#onChange = onChange;
  }

  get security(): LineSecurity {
    return securityOf(this.#line);
  }

  get report(): LineReport {
    return {
      security: this.security,
      ...(this.#fault ? { fault: this.#fault } : {}),
      ...(this.#isSignedOn === undefined ? {} : { isSignedOn: this.#isSignedOn }),
      ...(this.#certificate ? { certificate: describeCertificate(this.#certificate) } : {}),
      ...(this.#client ? { clientCertificate: describeCertificate(this.#client) } : {}),
    };
  }

  /** Connects to a trusted host. Undefined if that fails; `report` has the reason. */
  readonly dial: Dial = async ({ host, port, connectTimeoutMs }, clock, signal) => {
    const address = { host, port, connectTimeoutMs };
    const { security } = this.#line;
    const tls = security === undefined || security === 'none' ? undefined : security.tls;
    try {
      const socket = tls ? await this.#dialSecure(tls, address, clock, signal) : await dialHost(address, clock, signal);
      // A connection does not end faults of messages: wrong codes, another key, a refused sign-on.
      if (socket && !messageFaults.some((each) => each === this.#fault?.reason)) this.#noteFault(undefined, clock);
      return socket;
    } catch (error) {
      if (!signal.aborted) this.#noteFault(this.#faultOf(error, tls !== undefined, clock), clock);
      return undefined;
    }
  };

  /** Called with each message of the host that has an authentication code, or lacks a required one. */
  noteMac(isValid: boolean, clock: MonotonicClock): void {
    if (isValid && this.#fault?.reason !== 'macNotValid') return;
    this.#noteFault(isValid ? undefined : 'macNotValid', clock);
  }

  /** Whether sign-on and exchange of keys allow payments, as far as is known. */
  get isReady(): boolean {
    return this.#isSignedOn !== false && this.#hasKeys;
  }

  /** Whether no DUKPT key can be used. */
  get lacksKeys(): boolean {
    return isOfCounter(this.#fault?.reason);
  }

  /** Called after each key exchange, and after each preparation of a DUKPT key. Without `fault` there is a key. */
  noteKeys(fault: KeyFault | KeyCounterFault | undefined, clock: MonotonicClock): void {
    this.#hasKeys = fault === undefined;
    const isOfKeys = keyFaults.some((each) => each === this.#fault?.reason) || this.lacksKeys;
    if (fault !== undefined || isOfKeys) this.#noteFault(fault, clock);
  }

  /** Called after each sign-on. Without `fault` the host has accepted it. */
  noteSignOn(fault: SignOnFault | undefined, clock: MonotonicClock): void {
    this.#isSignedOn = fault === undefined;
    // An answer with a wrong authentication code is ignored: that fault is the cause.
    if (fault === 'signOnNotAnswered' && this.#fault?.reason === 'macNotValid') return;
    const isSignOn = signOnFaults.some((each) => each === this.#fault?.reason);
    if (fault !== undefined || isSignOn) this.#noteFault(fault, clock);
  }

  async #dialSecure(
    tls: LineTls,
    address: HostAddress,
    clock: MonotonicClock,
    signal: AbortSignal,
  ): Promise<Duplex | undefined> {
    const material = await readMaterial(tls);
    this.#client = material.client;
    if (material.digest !== this.#resumable?.digest) this.#resumable = undefined;
    const isResting = clock.elapsedMs() < this.#restUntilMs && material.digest === this.#failedDigest;
    if (isResting) return undefined;
    try {
      const attempt = new Handshake(tls, material, this.#resumable, clock);
      const socket = (await dialHost({ ...address, secure: attempt.target }, clock, signal).finally(() => {
        this.#certificate = attempt.certificate ?? this.#certificate;
      })) as TLSSocket;
      if (!(await this.#isAccepted(socket, attempt, clock, signal)))
        throw attempt.fault ?? new RefusedHost('handshakeCut');
      this.#failures = 0;
      this.#keepSession(attempt, material.digest);
      attempt.onSession = () => this.#keepSession(attempt, material.digest);
      socket.on('error', (error: NodeJS.ErrnoException) => this.#noteAlert(error, clock));
      return socket;
    } catch (error) {
      if (!signal.aborted) this.#rest(error, material.digest, clock);
      throw error;
    }
  }

  /** Whether the host accepts this terminal's certificate. */
  async #isAccepted(
    socket: TLSSocket,
    attempt: Handshake,
    clock: MonotonicClock,
    signal: AbortSignal,
  ): Promise<boolean> {
    const isDecided = socket.getProtocol() !== 'TLSv1.3' || socket.isSessionReused() || attempt.session !== undefined;
    if (isDecided || !this.#sendsTickets) return !socket.destroyed;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = clock.setTimeout(() => {
      this.#sendsTickets = false;
      resolve(true);
    }, acceptanceMs);
    attempt.onSession = () => resolve(true);
    const refuse = () => resolve(false);
    socket.once('close', refuse);
    signal.addEventListener('abort', refuse);
    const isAccepted = await promise;
    clock.clearTimeout(timer);
    socket.off('close', refuse);
    signal.removeEventListener('abort', refuse);
    if (!isAccepted || signal.aborted) socket.destroy();
    return isAccepted && !socket.destroyed;
  }

  #keepSession({ session, certificate }: Handshake, digest: string): void {
    if (session && certificate) this.#resumable = { digest, session, certificate };
  }

  /** Notes a refusal that arrives after the handshake. */
  #noteAlert(error: NodeJS.ErrnoException, clock: MonotonicClock): void {
    if (error.code?.startsWith('ERR_SSL_') !== true) return;
    this.#sendsTickets = true;
    this.#resumable = undefined;
    this.#noteFault(this.#faultOf(error, true, clock), clock);
  }

  #rest(error: unknown, digest: string, clock: MonotonicClock): void {
    this.#resumable = undefined;
    if (!isLasting(lineFaultOf(error, true))) return;
    this.#failures = digest === this.#failedDigest ? this.#failures + 1 : 1;
    this.#failedDigest = digest;
    const rests = this.#failures - failuresBeforeRest;
    if (rests >= 0) this.#restUntilMs = clock.elapsedMs() + Math.min(restMsMax, firstRestMs * 2 ** rests);
  }

  #faultOf(error: unknown, isSecure: boolean, clock: MonotonicClock): LineFault {
    const fault = lineFaultOf(error, isSecure);
    const isOver = this.#client !== undefined && this.#client.validToDate < clock.now();
    return fault === 'clientCertificateRefused' && isOver ? 'clientCertificateExpired' : fault;
  }

  #noteFault(reason: LineFault | undefined, clock: MonotonicClock): void {
    if (reason === this.#fault?.reason) return;
    this.#fault = reason && { reason, since: clock.now().toISOString() };
    this.#onChange(this.report);
  }
}

/** One attempt, with the host's certificate and session. */
class Handshake {
  readonly target: SecureTarget;
  certificate: X509Certificate | undefined;
  session: Buffer | undefined;
  /** Why the connection was lost. */
  fault: Error | undefined;
  onSession: () => void = () => undefined;

  constructor(tls: LineTls, { context }: LineMaterial, resumable: Resumable | undefined, clock: MonotonicClock) {
    this.target = {
      secureContext: context,
      ...(resumable ? { session: resumable.session } : {}),
      ...(tls.serverName === undefined ? {} : { name: tls.serverName }),
      // `check` decides, so that a refused certificate can be reported.
      rejectUnauthorized: false,
      prepare: (socket) => {
        socket.on('session', (session) => {
          this.session = session;
          // This event occurs while the TLS engine reads, when a write would not be carried out.
          setImmediate(() => this.onSession());
        });
        socket.on('error', (error) => {
          this.fault = error;
        });
      },
      check: (socket) => {
        this.certificate =
          socket.getPeerX509Certificate() ?? (socket.isSessionReused() ? resumable?.certificate : undefined);
        const fault = judge(socket, this.certificate, tls, clock.now());
        return fault && new RefusedHost(fault);
      },
    };
  }
}

/** Why a host is not trusted; undefined if it is trusted. */
function judge(
  socket: TLSSocket,
  certificate: X509Certificate | undefined,
  { ca, pins }: LineTls,
  now: Date,
): LineFault | undefined {
  if (!certificate) return 'certificateNotTrusted';
  if (ca !== undefined && !socket.authorized) return certificateFault(String(socket.authorizationError));
  // The dates are checked here too: a session may outlast its certificate, and without `ca` the chain is not checked.
  if (certificate.validToDate < now) return 'certificateExpired';
  if (certificate.validFromDate > now) return 'certificateNotYetValid';
  const own = plainPin(certificate.fingerprint256);
  return pins && !pins.some((pin) => plainPin(pin) === own) ? 'certificateNotPinned' : undefined;
}

function plainPin(pin: string): string {
  return pin.replaceAll(':', '').toUpperCase();
}
