import type { Clock } from '../../base/ports/clock.ts';
import type { CloudLink, CloudMessage } from '../../payment/contracts/cloud-link.ts';
import { type ConfigurationStore, digestOf, type SignedDocument } from './configuration-store.ts';
import { type ConfigurationDocument, keysIn, type Recipient, readDocument } from './documents.ts';
import type { FleetKeys } from './fleet-keys.ts';
import { signatureProperty, signerOf } from './signed.ts';

/** Interval of checks until a document's time has come. */
const lookMs = 60_000;
/** Interval of checks while work runs whose end is not reported. */
const busyMs = 5_000;

/**
 * Why a configuration can't be adopted now. `until`: the event that may remove the obstacle. ended: unsettled work that
 * ends. idle: also a payment or a settlement that ends.
 */
export interface Obstacle {
  readonly reason: string;
  readonly until: 'ended' | 'idle';
}

export interface ConfigurationParts {
  readonly link: CloudLink;
  readonly recipient: Recipient;
  readonly store: ConfigurationStore;
  readonly keys: Pick<FleetKeys, 'refusal'>;
  readonly clock: Clock;
  /** Why a terminal can't run with it; undefined if it can. */
  readonly check: (configuration: Readonly<Record<string, unknown>>) => Promise<string | undefined>;
  /**
   * Calls `adopt` while no payment runs and nothing that it changes is unsettled, so that no payment begins in between.
   * Otherwise resolves with the obstacle. Rejects when `signal` is aborted.
   */
  readonly take: (
    configuration: Readonly<Record<string, unknown>>,
    adopt: () => Promise<void>,
    signal: AbortSignal,
  ) => Promise<Obstacle | undefined>;
  /** Calls the listener when an obstacle may have been removed. */
  readonly onProgress: (listener: (kind: Obstacle['until']) => void) => () => void;
  /** Ends this process in order; the next one starts with the configuration on trial. */
  readonly restart: () => void;
  readonly onReport: (state: 'waiting' | 'refused' | 'adopting', version: number, reason: string) => void;
  readonly onFailure: (error: unknown) => void;
}

/** A document that was signed for this terminal, and is neither adopted nor refused yet. */
interface Candidate {
  readonly document: ConfigurationDocument;
  readonly message: CloudMessage;
  readonly digest: string;
}

/** Without `until` it waits for its time. */
type Waiting = Pick<Candidate, 'digest'> & Pick<Obstacle, 'reason'> & Partial<Obstacle> & { readonly version: number };

type Work = 'consider' | 'again' | 'tell';

/**
 * The retained topic `configuration`: adopts the fleet's signed documents while the terminal is idle, and reports the
 * result. A waiting document is checked again only after an event that may end its wait.
 */
export class ConfigurationTopic {
  readonly #parts: ConfigurationParts;
  readonly #leave: (() => void)[];
  readonly #ending = new AbortController();
  #offered: CloudMessage | undefined;
  /** The newest valid document. An unreadable one does not replace it. */
  #candidate: Candidate | undefined;
  /**
   * Fault of a document that can't be read, or that was refused and is older than another: its version does not count.
   */
  #unread: string | undefined;
  #waiting: Waiting | undefined;
  #timer: unknown;
  #work = Promise.resolve();
  /** Tasks that wait for their turn in `#work`: at most one of each kind, however many messages arrive. */
  readonly #queued = new Set<Work>();

  constructor(parts: ConfigurationParts) {
    this.#parts = parts;
    const hear = (message: CloudMessage) => {
      this.#offered = message;
      this.#queue('consider');
    };
    this.#leave = [
      parts.link.subscribe('configuration', hear),
      parts.link.watch((isUp) => {
        if (isUp) this.#queue('tell');
      }),
      parts.onProgress((kind) => {
        const { until } = this.#waiting ?? {};
        if (until === kind || until === 'idle') this.#queue('again');
      }),
    ];
  }

  /** Drops the waiting tasks, and ends a running search. */
  close(): Promise<void> {
    this.#ending.abort();
    for (const leave of this.#leave) leave();
    this.#parts.clock.clearTimeout(this.#timer);
    return this.#work;
  }

  #queue(what: Work): void {
    if (this.#queued.has(what)) return;
    this.#queued.add(what);
    const work = async () => {
      this.#queued.delete(what);
      if (this.#ending.signal.aborted) return;
      await (what === 'consider' ? this.#consider() : what === 'again' ? this.#again() : this.#report());
    };
    this.#work = this.#work.then(work).catch((error: unknown) => {
      if (!this.#ending.signal.aborted) this.#parts.onFailure(error);
    });
  }

  async #consider(): Promise<void> {
    const message = this.#offered;
    this.#offered = undefined;
    if (!message) return;
    // A retained message that was removed.
    if (message.payload.length === 0) return this.#drop();
    const document = readDocument(message, 'configuration', this.#parts.recipient);
    this.#unread = typeof document === 'string' ? document : undefined;
    if (typeof document !== 'string') {
      const candidate = { document, message, digest: digestOf(message.payload) };
      const [waiting, { version }] = [this.#waiting, document];
      if (waiting && version < waiting.version) this.#unread = `version ${version}: version ${waiting.version} waits`;
      // A copy of the waiting document has no effect.
      else if (waiting?.digest !== candidate.digest) {
        this.#drop();
        this.#candidate = candidate;
        await this.#decide(candidate);
      }
    }
    await this.#report();
  }

  /** Called after an event that may end the wait. */
  async #again(): Promise<void> {
    const before = this.#waiting;
    if (!this.#candidate || !before) return;
    await this.#decide(this.#candidate);
    if (this.#waiting?.reason !== before.reason) await this.#report();
  }

  #drop(): void {
    this.#parts.clock.clearTimeout(this.#timer);
    this.#candidate = undefined;
    this.#waiting = undefined;
  }

  async #decide({ document, message, digest }: Candidate): Promise<void> {
    const { store, clock, take, restart, onReport } = this.#parts;
    const { version, configuration, notBefore } = document;
    const { good, trial, refused } = store.kept;
    const signed = signedOf(message);
    if (good?.digest === digest && !good.signed) await store.keepSigned(signed);
    if (good?.digest === digest || trial?.digest === digest || refused?.version === version) return this.#drop();
    const now = clock.now();
    const refusal = await this.#refusal(document, message);
    if (refusal !== undefined) {
      this.#drop();
      onReport('refused', version, refusal);
      if (version >= Math.max(good?.version ?? 0, refused?.version ?? 0)) return store.refuse(version, refusal, now);
      // Any client of the broker can send an old document again: it replaces no other, and is not stored.
      return void (this.#unread = `version ${version}: ${refusal}`);
    }
    if (notBefore !== undefined && now < new Date(notBefore))
      return this.#wait({ digest, version, reason: `not before ${notBefore}` }, document);
    const adopt = async () => {
      await store.try({ version, digest, configuration, signed });
      onReport('adopting', version, '');
    };
    const obstacle = await take(configuration, adopt, this.#ending.signal).catch((error: unknown) =>
      this.#explainFailure(error),
    );
    if (obstacle) return this.#wait({ digest, version, ...obstacle }, document);
    this.#drop();
    this.#ending.abort();
    restart();
  }

  /** Pause after a failed write, because a failing disk usually fails for a while. */
  #explainFailure(error: unknown): Obstacle {
    if (this.#ending.signal.aborted) throw error;
    this.#parts.onFailure(error);
    return { reason: 'its journal or its disk failed', until: 'idle' };
  }

  async #refusal(document: ConfigurationDocument, message: CloudMessage): Promise<string | undefined> {
    const { store, clock, check } = this.#parts;
    const { version, configuration, notAfter } = document;
    const { good, abandoned = 0 } = store.kept;
    const known = good?.version ?? 0;
    if (version < known) return `version ${known} is in use: an older one is not taken`;
    if (version === known) return `version ${known} is in use, and was another document`;
    if (version <= abandoned) return `version ${abandoned} was given up after its trial: only a later one is tried`;
    if (notAfter !== undefined && clock.now() >= new Date(notAfter)) return `it was to be taken before ${notAfter}`;
    return this.#keysRefusal(configuration, message) ?? (await check(configuration));
  }

  #wait(waiting: Waiting, { notBefore, notAfter }: ConfigurationDocument): void {
    const { clock, onReport } = this.#parts;
    clock.clearTimeout(this.#timer);
    if (this.#waiting?.reason !== waiting.reason) onReport('waiting', waiting.version, waiting.reason);
    this.#waiting = waiting;
    if (waiting.until === 'idle') this.#timer = clock.setTimeout(() => this.#queue('again'), busyMs);
    else if ((notBefore ?? notAfter) !== undefined) this.#timer = clock.setTimeout(() => this.#watchTime(), lookMs);
  }

  /** Checks only the clock, until the document's time begins or is over. */
  #watchTime(): void {
    const { clock } = this.#parts;
    const { notBefore, notAfter } = this.#candidate?.document ?? {};
    const now = clock.now();
    const isDue = this.#waiting?.until === undefined && (notBefore === undefined || now >= new Date(notBefore));
    if (isDue || (notAfter !== undefined && now >= new Date(notAfter))) return this.#queue('again');
    this.#timer = clock.setTimeout(() => this.#watchTime(), lookMs);
  }

  /** Refuses a document that drops its own key, which would lock the fleet out, or that names a dropped key. */
  #keysRefusal(configuration: ConfigurationDocument['configuration'], message: CloudMessage): string | undefined {
    const { keys, recipient } = this.#parts;
    const named = keysIn(configuration);
    const signer = signerOf(message.payload, message.properties?.[signatureProperty], recipient.publicKeys);
    return named && keys.refusal(named, signer ?? '');
  }

  async #report(): Promise<void> {
    const { link, store, clock } = this.#parts;
    const { good, trial, refused } = store.kept;
    const reported = {
      version: good?.version ?? null,
      ...(trial ? { trial: trial.version } : {}),
      ...(this.#waiting ? { waiting: { version: this.#waiting.version, reason: this.#waiting.reason } } : {}),
      ...(refused ? { refused } : {}),
      ...(this.#unread === undefined ? {} : { unread: this.#unread }),
      at: clock.now().toISOString(),
    };
    const payload = Buffer.from(JSON.stringify(reported));
    // Lost with the connection: the next one begins with it.
    await link.publish('configuration/state', { payload, qos: 1, retain: true }).catch(() => undefined);
  }
}

/** Of a message whose signature was checked. */
function signedOf({ payload, properties }: CloudMessage): SignedDocument {
  return { payload: Buffer.from(payload).toString('base64'), signature: properties?.[signatureProperty] ?? '' };
}
