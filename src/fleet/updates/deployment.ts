import type { UpdateAction, UpdateOutcome, UpdateState } from './action.ts';
import type { AgentParts } from './agent-parts.ts';
import { chooseBundle } from './bundle-choice.ts';
import type { DdiDeployment, DdiFeedback } from './ddi.ts';
import { DdiError } from './ddi-client.ts';
import type { RunningVersion, Verdict } from './installer.ts';

const installationsMost = 3;

/**
 * The result of an installation that is not concluded, from the running version. again: it was interrupted. restart: it
 * is installed, and the machine has not started since. undecided: its version runs, and is not judged yet.
 */
function judge(
  { phase, version, from, installations }: UpdateAction,
  running: RunningVersion,
  verdict: Verdict,
): UpdateOutcome | 'again' | 'restart' | 'undecided' {
  const before = from?.version ?? 'another';
  if (running.slot !== from?.slot) {
    if (running.version !== version)
      return failed(`${running.version} runs, and not ${version}: another was installed`);
    // The machine itself leaves a version that fails.
    return verdict === 'good' ? { finished: 'success', details: [`${version} runs and is kept`] } : 'undecided';
  }
  if (phase === 'installed') {
    if (running.bootId === from.bootId) return 'restart';
    return failed(`${version} did not work: the machine went back to ${before}`);
  }
  return installations < installationsMost ? 'again' : failed(`it was interrupted ${installations} times`);
}

function failed(reason: string): UpdateOutcome {
  return { finished: 'failure', details: [reason] };
}

const corruptMost = 2;

/** waiting: for window, customer or host. judging: the new version runs, and is not judged yet. */
type Left = 'nothing' | 'waiting' | 'judging';

/** One action of hawkBit, from its offer to its feedback. Each step is in the file before it is reported. */
export class Deployment {
  readonly #parts: AgentParts;
  /** The last reported reason of a wait; each is reported once. */
  #reported = '';
  #handling: DdiDeployment['deployment'] | undefined;

  constructor(parts: AgentParts) {
    this.#parts = parts;
  }

  /** Continues after a start, and takes the steps that need no answer of hawkBit. */
  async resume(): Promise<Left> {
    const { machine, store } = this.#parts;
    const state = await store.read();
    const { action } = state;
    if (!action) return 'nothing';
    if (action.outcome) return this.#conclude(action, action.outcome);
    if (action.phase === 'installing' || action.phase === 'installed') {
      const judged = judge(action, await machine.running(), await machine.verdict());
      if (judged === 'undecided') return 'judging';
      if (judged === 'restart') return this.#restart();
      if (judged !== 'again') return this.#conclude(action, judged);
      await this.#keep({ ...action, phase: 'downloaded' });
      await this.#report(action, {
        execution: 'resumed',
        finished: 'none',
        details: ['the installation was interrupted'],
      });
    }
    if (action.phase === 'downloading') return 'nothing';
    return (await this.#obstacle()) === undefined ? 'nothing' : 'waiting';
  }

  /** hawkBit offers an action: the one that is under way, or another one. */
  async pursue(link: URL): Promise<void> {
    const { ddi, store } = this.#parts;
    const offered = await ddi.readDeployment(link);
    this.#handling = offered.deployment;
    const { action, last } = await store.read();
    if (last?.id === offered.id) return this.#reportOutcome(link.href, last.outcome);
    if (action && action.id !== offered.id && isInstalling(action)) return;
    if (action?.id === offered.id) return this.#advance({ ...action, link: link.href });
    await this.#begin(link, offered);
  }

  /** Cancels the action, unless its installation has begun. */
  async cancel(link: URL): Promise<void> {
    const { ddi, store, log } = this.#parts;
    const id = await ddi.readCancel(link);
    const { action, last } = await store.read();
    const isOurs = action?.id === id;
    const refusal =
      isOurs && isInstalling(action) ? 'the installation has begun' : last?.id === id ? 'it is over' : undefined;
    if (refusal !== undefined) {
      await ddi.sendFeedback(link, { execution: 'rejected', finished: 'none', details: [refusal] });
      return;
    }
    // `closed` accepts a cancellation; `canceled` is a warning there.
    if (isOurs) await this.abandon();
    await ddi.sendFeedback(link, { execution: 'closed', finished: 'success', details: ['nothing was installed'] });
    log.info('update: cancelled', { reason: id });
  }

  /** hawkBit no longer offers the action. An installation that has begun is completed. */
  async abandon(): Promise<void> {
    const { action, last } = await this.#parts.store.read();
    if (!action || isInstalling(action)) return;
    await this.#parts.discard();
    await this.#parts.store.write({ version: 1, ...(last ? { last } : {}) });
  }

  async #begin(link: URL, offered: DdiDeployment): Promise<void> {
    await this.abandon();
    await this.#parts.discard();
    const bundle = chooseBundle(offered, this.#parts.limits.bundleBytesMax, link);
    const action: UpdateAction = {
      id: offered.id,
      link: link.href,
      phase: 'downloading',
      bundle: typeof bundle === 'string' ? { url: '', size: 0, sha256: '', version: '' } : bundle,
      corrupt: 0,
      installations: 0,
    };
    if (typeof bundle === 'string') return void (await this.#conclude(action, failure(bundle)));
    await this.#keep(action);
    await this.#report(action, {
      execution: 'proceeding',
      finished: 'none',
      details: [`version ${bundle.version} is accepted`],
    });
    await this.#advance(action);
  }

  async #advance(action: UpdateAction): Promise<void> {
    let now: UpdateAction | undefined = action;
    if (now.phase === 'downloading') now = await this.#download(now);
    if (now?.phase === 'downloaded') await this.#install(now);
  }

  async #download(action: UpdateAction): Promise<UpdateAction | undefined> {
    if (this.#handling?.download === 'skip') return undefined;
    const { url, size, sha256 } = action.bundle;
    if (this.#reported !== url)
      await this.#report(action, { execution: 'download', finished: 'none', details: [`${size} bytes`] });
    this.#reported = url;
    const came = await this.#parts.download({ url: new URL(url), size, sha256 });
    // hawkBit is asked in between, then the download continues.
    if (came.state === 'unfinished') return undefined;
    if (came.state === 'interrupted') throw new DdiError('unreachable', `download: ${came.reason}`);
    if (came.state !== 'done') {
      const corrupt = action.corrupt + 1;
      if (came.state === 'full' || corrupt >= corruptMost)
        return void (await this.#conclude(action, failure(came.reason)));
      await this.#keep({ ...action, corrupt });
      throw new DdiError('failed', `download: ${came.reason}`);
    }
    const facts = await this.#inspect();
    if (typeof facts === 'string') return void (await this.#conclude(action, failure(`refused: ${facts}`)));
    const next = { ...action, phase: 'downloaded', version: facts.version } as const;
    await this.#keep(next);
    await this.#report(next, { execution: 'downloaded', finished: 'none', details: [`version ${facts.version}`] });
    return next;
  }

  /** The bundle's version; or why it may not be installed here, now. */
  async #inspect(): Promise<{ readonly version: string } | string> {
    const { installer, machine, bundle } = this.#parts;
    const facts = await installer.inspect(bundle);
    if (typeof facts === 'string') return facts;
    const { compatible, version } = facts;
    const own = await installer.compatible();
    if (compatible !== own) return `it is for ${compatible}, and this is ${own ?? 'unknown'}`;
    const { version: present } = await machine.running();
    if (!(await machine.isOlder(version, present))) return { version };
    return `version ${version} is older than ${present}, and can't read what that has changed in the journal`;
  }

  async #install(action: UpdateAction): Promise<void> {
    const obstacle = await this.#obstacle();
    if (obstacle !== undefined) {
      if (this.#reported === obstacle) return;
      this.#reported = obstacle;
      return this.#report(action, { execution: 'scheduled', finished: 'none', details: [obstacle] });
    }
    const { installer, machine, bundle, log } = this.#parts;
    // Another version may run since it was downloaded.
    const facts = await this.#inspect();
    if (typeof facts === 'string') return void (await this.#conclude(action, failure(`refused: ${facts}`)));
    const installing = {
      ...action,
      phase: 'installing',
      from: await machine.running(),
      installations: action.installations + 1,
    } as const;
    await this.#keep(installing);
    log.info('update: installing', { reason: action.version ?? '' });
    await this.#report(installing, { execution: 'proceeding', finished: 'none', details: ['installing'] });
    const fault = await installer.install(bundle);
    if (fault !== undefined) return void (await this.#conclude(installing, failure(`not installed: ${fault}`)));
    const installed = { ...installing, phase: 'installed' } as const;
    await this.#keep(installed);
    await this.#report(installed, {
      execution: 'proceeding',
      finished: 'none',
      details: ['installed; the machine starts anew once nobody pays'],
    });
    await this.#restart();
  }

  /** A payment may have begun meanwhile. */
  async #restart(): Promise<Left> {
    if ((await this.#parts.busy()) !== undefined) return 'waiting';
    await this.#parts.machine.restart();
    return 'waiting';
  }

  /** Why nothing is installed now. Payments take precedence over every update. */
  async #obstacle(): Promise<string | undefined> {
    const handling = this.#handling;
    if (!handling) return undefined;
    if (handling.maintenanceWindow === 'unavailable') return 'waits for hawkBit’s maintenance window';
    if (handling.update === 'skip') return 'waits: hawkBit asks for the download alone';
    if (!(await this.#parts.isOpen(handling.update === 'forced'))) return 'waits for the maintenance window';
    return (await this.#parts.busy()) === undefined ? undefined : 'waits until nobody pays';
  }

  async #keep(action: UpdateAction): Promise<void> {
    const { last } = await this.#parts.store.read();
    await this.#parts.store.write({ version: 1, action, ...(last ? { last } : {}) } satisfies UpdateState);
  }

  /** The action is over: feedback is repeated until hawkBit has accepted it. */
  async #conclude(action: UpdateAction, outcome: UpdateOutcome): Promise<Left> {
    const { store, log } = this.#parts;
    if (!action.outcome) {
      const fields = { state: outcome.finished, reason: outcome.details.join('; ') };
      if (outcome.finished === 'success') log.info('update: over', fields);
      else log.warn('update: over', fields);
      await this.#keep({ ...action, outcome });
    }
    await this.#parts.discard();
    await this.#reportOutcome(action.link, outcome);
    await store.write({ version: 1, last: { id: action.id, outcome } });
    this.#reported = '';
    this.#handling = undefined;
    return 'nothing';
  }

  async #reportOutcome(link: string, { finished, details }: UpdateOutcome): Promise<void> {
    await this.#parts.ddi
      .sendFeedback(new URL(link), { execution: 'closed', finished, details })
      .catch((error: unknown) => {
        // The action was closed in hawkBit.
        if (!(error instanceof DdiError && error.code === 'gone')) throw error;
      });
  }

  /** An intermediate step: lost feedback does not stop the action. */
  async #report({ link }: UpdateAction, feedback: DdiFeedback): Promise<void> {
    await this.#parts.ddi.sendFeedback(new URL(link), feedback).catch((error: Error) => {
      this.#parts.log.warn('update: not reported', { state: feedback.execution, reason: error.message });
    });
  }
}

function isInstalling({ phase, outcome }: UpdateAction): boolean {
  return phase === 'installing' || phase === 'installed' || outcome !== undefined;
}

function failure(reason: string): UpdateOutcome {
  return { finished: 'failure', details: [reason] };
}
