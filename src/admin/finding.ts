import { plainLines } from '../base/domain/plain-text.ts';
import { jsonText } from '../base/standard-output.ts';

export type Verdict = 'PASS' | 'WARN' | 'FAIL' | 'SKIPPED';

/** The finding about one part of the terminal, for the user. */
export interface Finding {
  readonly part: string;
  readonly verdict: Verdict;
  readonly detail: string;
  /** The remedy, if possible a command. */
  readonly remedy?: string;
}

export function pass(part: string, detail: string): Finding {
  return { part, verdict: 'PASS', detail };
}

export function fail(part: string, detail: string, remedy: string): Finding {
  return { part, verdict: 'FAIL', detail, remedy };
}

/** It works, but not permanently, or not as it should. */
export function warn(part: string, detail: string, remedy: string): Finding {
  return { part, verdict: 'WARN', detail, remedy };
}

/** Not looked at, and why. */
export function skip(part: string, detail: string): Finding {
  return { part, verdict: 'SKIPPED', detail };
}

/** One line each, and another for the remedy. */
export function findingText({ part, verdict, detail, remedy }: Finding): string {
  const line = `${verdict.padEnd(8)}${part.padEnd(15)}${detail}`;
  // Parts of the text may come from a device, a host or a file.
  return plainLines(remedy === undefined ? line : `${line}\n${' '.repeat(23)}do: ${remedy}`);
}

/** Prints the findings. Returns the exit code: 0, or 1 if one of them is a failure. */
export function reportFindings(findings: readonly Finding[], json: boolean, about: object): number {
  const isGood = findings.every(({ verdict }) => verdict !== 'FAIL');
  const counts = ['PASS', 'WARN', 'FAIL', 'SKIPPED'].flatMap((each) => {
    const count = findings.filter(({ verdict }) => verdict === each).length;
    return count === 0 ? [] : [`${count} ${each}`];
  });
  if (json) console.log(jsonText({ ...about, result: isGood ? 'PASS' : 'FAIL', findings }));
  else console.log([...findings.map(findingText), counts.join(', ')].join('\n'));
  return isGood ? 0 : 1;
}
