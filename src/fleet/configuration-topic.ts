import type { Clock } from '../ports/clock.ts';
import type { CloudLink, CloudMessage } from '../ports/cloud-link.ts';
import { type ConfigurationStore, digestOf } from './configuration-store.ts';
import { type ConfigurationDocument, type Recipient, readDocument } from './documents.ts';

const lookMs = 20_000;

export interface ConfigurationParts {
  readonly link: CloudLink;
  readonly recipient: Recipient;
  readonly store: ConfigurationStore;
  readonly clock: Clock;
  /** Why a terminal can't run with it; undefined if it can. */
  readonly check: (configuration: Readonly<Record<string, unknown>>) => Promise<string | undefined>;
  /** Why it can't be taken now; undefined: nobody pays, and nothing of what it changes is unsettled. */
  readonly obstacle: (configuration: Readonly<Record<string, unknown>>) => Promise<string | undefined>;
  /** Ends this process in order; the next one begins with what is on trial. */
  readonly restart: () => void;
  readonly onTold: (state: 'waiting' | 'refused' | 'adopting', version: number, reason: string) => void;
  readonly onFailure: (error: unknown) => void;
}

interface Waiting {
  readonly version: number;
  readonly reason: string;
}

/** The retained topic `configuration`: takes what the fleet has signed when the terminal is idle, and tells what became of it. */
export class ConfigurationTopic {
  readonly #parts: ConfigurationParts;
  readonly #leave: (() => void)[];
  #offered: CloudMessage | undefined;
  /** Of a document that can't be read: it has no version that counts. */
  #unread: string | undefined;
  #waiting: Waiting | undefined;
  #timer: unknown;
  #work = Promise.resolve();
  #isEnding = false;

  constructor(parts: ConfigurationParts) {
    this.#parts = parts;
    const hear = (message: CloudMessage) => {
      this.#offered = message;
      this.#queue();
    };
    this.#leave = [
      parts.link.subscribe('configuration', hear),
      parts.link.watch((isUp) => {
        if (isUp) this.#then(() => this.#tell());
      }),
    ];
  }

  close(): Promise<void> {
    this.#isEnding = true;
    for (const leave of this.#leave) leave();
    this.#parts.clock.clearTimeout(this.#timer);
    return this.#work;
  }

  #queue(): void {
    this.#then(() => this.#consider());
  }

  #then(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => this.#parts.onFailure(error));
  }

  async #consider(): Promise<void> {
    const { clock, recipient } = this.#parts;
    const message = this.#offered;
    // An empty payload is a retained message that was removed.
    if (!message || message.payload.length === 0 || this.#isEnding) return;
    clock.clearTimeout(this.#timer);
    this.#waiting = undefined;
    const document = readDocument(message, 'configuration', recipient);
    this.#unread = typeof document === 'string' ? document : undefined;
    if (typeof document !== 'string') await this.#decide(document, digestOf(message.payload));
    await this.#tell();
  }

  async #decide(document: ConfigurationDocument, digest: string): Promise<void> {
    const { store, clock, check, obstacle, restart, onTold } = this.#parts;
    const { version, configuration, notBefore, notAfter } = document;
    const { good, trial, refused } = store.kept;
    if (good?.digest === digest || trial?.digest === digest || refused?.version === version) return;
    const now = clock.now();
    const known = good?.version ?? 0;
    const refusal =
      version < known
        ? `version ${known} is in use: an older one is not taken`
        : version === known
          ? `version ${known} is in use, and was another document`
          : notAfter !== undefined && now >= new Date(notAfter)
            ? `it was to be taken before ${notAfter}`
            : await check(configuration);
    if (refusal !== undefined) {
      onTold('refused', version, refusal);
      return store.refuse(version, refusal, now);
    }
    const early = notBefore !== undefined && now < new Date(notBefore) ? `not before ${notBefore}` : undefined;
    const reason = early ?? (await obstacle(configuration));
    if (reason !== undefined) {
      onTold('waiting', version, reason);
      this.#waiting = { version, reason };
      this.#timer = clock.setTimeout(() => this.#queue(), lookMs);
      return;
    }
    await store.try({ version, digest, configuration });
    onTold('adopting', version, '');
    this.#isEnding = true;
    restart();
  }

  async #tell(): Promise<void> {
    const { link, store, clock } = this.#parts;
    const { good, trial, refused } = store.kept;
    const told = {
      version: good?.version ?? null,
      ...(trial ? { trial: trial.version } : {}),
      ...(this.#waiting ? { waiting: this.#waiting } : {}),
      ...(refused ? { refused } : {}),
      ...(this.#unread === undefined ? {} : { unread: this.#unread }),
      at: clock.now().toISOString(),
    };
    const payload = Buffer.from(JSON.stringify(told));
    // Lost with the connection: the next one begins with it.
    await link.publish('configuration/state', { payload, qos: 1, retain: true }).catch(() => undefined);
  }
}
