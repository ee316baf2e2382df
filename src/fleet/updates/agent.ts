import { pause } from '../../base/ports/pause.ts';
import type { UpdateState } from './action.ts';
import type { AgentParts } from './agent-parts.ts';
import { Deployment } from './deployment.ts';
import { DdiError } from './ddi-client.ts';
import { chooseBundle } from './bundle-choice.ts';

/**
 * hawkBit's user confirmation. A terminal has no user to ask, and every installation is checked again later. So the
 * terminal confirms an action that it can accept, and denies any other with the reason. hawkBit keeps a denied action
 * waiting.
 */
class Confirmation {
  readonly #parts: Pick<AgentParts, 'ddi' | 'limits' | 'log'>;
  /** The action is offered at each poll until it is canceled; the reason is sent once. */
  #denied: string | undefined;

  constructor(parts: Pick<AgentParts, 'ddi' | 'limits' | 'log'>) {
    this.#parts = parts;
  }

  /** Whether it was confirmed. Rejects with DdiError. */
  async answer(link: URL): Promise<boolean> {
    const { ddi, limits, log } = this.#parts;
    const offered = await ddi.readConfirmation(link);
    if (offered.id === this.#denied) return false;
    const bundle = chooseBundle(offered, limits.bundleBytesMax, link);
    if (typeof bundle === 'string') {
      await ddi.confirm(link, { confirmation: 'denied', details: [bundle] });
      this.#denied = offered.id;
      log.warn('update: denied', { reason: bundle });
      return false;
    }
    await ddi.confirm(link, { confirmation: 'confirmed', details: [`version ${bundle.version} can be taken`] });
    return true;
  }
}

/** Interval of checks whether the window is open, the terminal is idle, or the new version is judged. */
const lookMs = 20_000;
/** Pause before hawkBit is asked again after an error: doubled each time. */
const retryMs = 30_000;
const retryMsMost = 3_600_000;
/** Random delay of the first poll, so that terminals do not poll at the same moment after a power cut. */
const firstPollSpreadMs = 60_000;
const pollMsLeast = 1_000;
/** A random share of each wait, so that terminals of a fleet do not poll at the same moment. */
const jitter = 0.1;

/**
 * Polls hawkBit for updates, and carries them out: one action at a time, stored in a file over restarts. hawkBit
 * manages groups and rollouts.
 */
export class UpdateAgent {
  readonly #parts: AgentParts;
  readonly #deployment: Deployment;
  readonly #confirmation: Confirmation;
  #failures = 0;
  #pollMs: number;
  /** In monotonic time. */
  #nextPollAt = 0;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#deployment = new Deployment(parts);
    this.#confirmation = new Confirmation(parts);
    this.#pollMs = parts.limits.pollMs;
  }

  /** Until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    await pause(this.#chance() * Math.min(firstPollSpreadMs, this.#pollMs), clock, signal);
    while (!signal.aborted) await pause(await this.step(), clock, signal);
  }

  /** Takes the steps that are possible now. Resolves with the wait before the next step, in milliseconds. */
  async step(): Promise<number> {
    const { clock, log } = this.#parts;
    try {
      const waits = await this.#work();
      this.#failures = 0;
      return waits;
    } catch (error) {
      this.#failures += 1;
      const code = error instanceof DdiError ? error.code : 'error';
      log.warn('update: hawkBit', { reason: (error as Error).message, state: code });
      const most = Math.max(retryMsMost, this.#pollMs);
      const waits = this.#spread(Math.min(most, retryMs * 2 ** Math.min(this.#failures - 1, 10)));
      this.#nextPollAt = clock.elapsedMs() + waits;
      return waits;
    }
  }

  async #work(): Promise<number> {
    const { clock, store } = this.#parts;
    const left = await this.#deployment.resume();
    if (left === 'judging') return lookMs;
    const untilPoll = this.#nextPollAt - clock.elapsedMs();
    // While an action waits for the window or an idle terminal, both are checked often. Before it goes on, hawkBit is
    // asked for a cancellation.
    if (left === 'waiting' && untilPoll > 0) return Math.min(untilPoll, lookMs);
    const offer = await this.#parts.ddi.poll();
    this.#pollMs = Math.max(pollMsLeast, offer.pollMs ?? this.#parts.limits.pollMs);
    this.#nextPollAt = clock.elapsedMs() + this.#spread(this.#pollMs);
    if (offer.attributes) await this.#parts.ddi.putAttributes(offer.attributes, await this.#parts.attributes());
    if (offer.cancel) await this.#deployment.cancel(offer.cancel);
    else if (offer.deployment) await this.#deployment.pursue(offer.deployment);
    else await this.#deployment.abandon();
    // A confirmed action is offered at the next poll.
    if (offer.confirmation && (await this.#confirmation.answer(offer.confirmation))) return pollMsLeast;
    const waits = this.#nextPollAt - clock.elapsedMs();
    return isUnderWay(await store.read()) ? Math.min(waits, lookMs) : waits;
  }

  #spread(ms: number): number {
    return ms * (1 - jitter + 2 * jitter * this.#chance());
  }

  /** From 0 up to 1. */
  #chance(): number {
    const [high = 0, low = 0] = this.#parts.random.bytes(2);
    return (256 * high + low) / 65_536;
  }
}

function isUnderWay({ action }: UpdateState): boolean {
  return action !== undefined;
}
