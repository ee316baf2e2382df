import type { Recording } from './recording.ts';
import { eventStories, lineStories } from './story.ts';

/** A story as it was recorded, and as it is now. */
export interface Compared {
  readonly where: string;
  readonly recorded: readonly string[];
  readonly now: readonly string[];
  /** Whether more may follow now: the recording was taken while something went on, such as a receipt. */
  readonly open: boolean;
}

/**
 * The comparable parts of two recordings besides their answers, and a sentence for each part that is not comparable.
 */
export function comparable(
  recorded: Recording,
  now: Recording,
): { readonly stories: readonly Compared[]; readonly notCompared: readonly string[] } {
  const absent = new Map([...absentFrom(recorded, 'the recording'), ...absentFrom(now, 'this run')]);
  const protocols = new Map(now.lines.map(({ name, protocol }) => [name, protocol]));
  for (const { name, protocol } of recorded.lines) {
    const other = protocols.get(name);
    if (other !== protocol) absent.set(name, `${name}: recorded with ${protocol}, now ${other ?? 'there is none'}`);
  }
  const heard = ({ hosts }: Recording) => hosts.filter((each) => !absent.has(each.split(' ')[0] ?? ''));
  const [lines, linesNow] = [lineStories(recorded), lineStories(now)];
  const [events, eventsNow] = [eventStories(recorded.events), eventStories(now.events)];
  const stories = [
    { where: 'the card hosts', recorded: heard(recorded), now: heard(now), open: false },
    ...[...events]
      .filter(() => !absent.has('events'))
      .map(([where, story]) => ({ where, recorded: story, now: eventsNow.get(where) ?? [], open: true })),
    ...[...lines]
      .filter(([name]) => !absent.has(name))
      .map(([name, story]) => ({
        where: `the line ${name}`,
        recorded: story,
        now: linesNow.get(name) ?? [],
        open: true,
      })),
  ];
  return { stories, notCompared: [...absent.values()] };
}

/** By line, or `events`. */
function absentFrom({ leftOff, events }: Recording, where: string): [string, string][] {
  const gap = events.some(({ event }) => event === 'reset');
  return [
    ...(gap ? [['events', `events: the terminal was restarted in ${where}, and may have told more`] as const] : []),
    ...leftOff.filter(({ what }) => what !== 'steps').map(({ what, why }) => [what, `${why} (${where})`] as const),
  ].map(([what, why]) => [what, why]);
}

/** The first difference of two stories, in a sentence with the entry before it. */
export function firstDifference({ where, recorded, now, open }: Compared): string | undefined {
  const length = open ? recorded.length : Math.max(recorded.length, now.length);
  const at = Array.from({ length }).findIndex((_, place) => recorded[place] !== now[place]);
  if (at < 0) return undefined;
  const quoted = (story: readonly string[]) => (story[at] === undefined ? 'nothing more' : `"${story[at]}"`);
  const before = at === 0 ? '' : ` (${at} before it as recorded, the last "${recorded[at - 1]}")`;
  return `${where}: recorded ${quoted(recorded)}, now ${quoted(now)}${before}`;
}
