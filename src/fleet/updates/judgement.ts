import type { UpdateAction, UpdateOutcome } from './action.ts';
import type { RunningVersion, Verdict } from './installer.ts';

const installationsMost = 3;

/**
 * What has become of an installation that is not concluded, told from what runs now. again: it was interrupted. restart: it is
 * installed, and the machine has not started since. undecided: its version runs, and is not judged yet.
 */
export function judge(
  { phase, version, from, installations }: UpdateAction,
  running: RunningVersion,
  verdict: Verdict,
): UpdateOutcome | 'again' | 'restart' | 'undecided' {
  const before = from?.version ?? 'another';
  if (running.slot !== from?.slot) {
    if (running.version !== version)
      return failed(`${running.version} runs, and not ${version}: another was installed`);
    // A version that fails is left by the machine itself.
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
