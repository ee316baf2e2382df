import type { Recording, RecordedEvent, RecordedFrame } from './recording.ts';

/**
 * Protocols whose frames are a story of their own: the card hosts', and the till's, whose requests and answers are
 * steps.
 */
const cardHosts = 'ISO 8583';
const tillLine = 'till';

/** The number of writes for a receipt, and whether one write contains two receipts, depends on timing. */
const printer = 'ESC/POS';
const octopus = 'Octopus';
/** Protocols in which the terminal asks until the answer is another one. */
const asked: ReadonlySet<string> = new Set(['HTTP', octopus]);
/** An Octopus card is not back yet: the number of polls depends on the customer. */
const stillIncomplete = /^100025 /;

const arrows = { fromTerminal: '→', toTerminal: '←' } as const;

/** The sentences of frames of card hosts, without trace numbers; a message that is repeated counts once. */
export function hostStory({ lines, frames }: Pick<Recording, 'lines' | 'frames'>): string[] {
  const hosts = new Set(lines.filter(({ protocol }) => protocol === cardHosts).map(({ name }) => name));
  const story = frames
    .filter(({ line, kind, summary }) => hosts.has(line) && kind === 'frame' && summary !== 'keep-alive')
    .map(
      ({ line, summary }) => `${line} ${summary.replace(/ · STAN \d+/, '').replace('reversal, repeated', 'reversal')}`,
    );
  return story.filter((each, at) => each !== story[at - 1]);
}

/**
 * The kinds of frames of each other line, in their order: → from the terminal, ← to it. Parts that depend only on
 * timing are omitted: polling, pings, and the opening of connections. A request that is repeated until its answer
 * changes counts once.
 */
export function lineStories({ lines, frames }: Pick<Recording, 'lines' | 'frames'>): Map<string, string[]> {
  const stories = new Map<string, string[]>();
  for (const { name, protocol } of lines) {
    if (protocol === cardHosts || name === tillLine) continue;
    const kinds: string[] = [];
    for (const frame of frames.filter((each) => each.line === name && isOfStory(each))) {
      const kind = protocol === printer ? paperKindOf(frame) : kindOf(frame);
      if (kind === undefined) continue;
      if (protocol === octopus && stillIncomplete.test(kind)) {
        // Drops its request too.
        kinds.pop();
        continue;
      }
      kinds.push(`${arrows[frame.direction]} ${kind}`);
      dropRepeat(kinds, 1);
      if (asked.has(protocol)) dropRepeat(kinds, 2);
    }
    stories.set(name, kinds);
  }
  return stories;
}

function isOfStory({ kind, summary, polling }: RecordedFrame): boolean {
  return (kind === 'frame' || kind === 'noise') && polling !== true && !/^18[-/]0[01] ping/.test(summary);
}

/** The frame's kind and the response code, without amounts, numbers and lengths. */
function kindOf({ summary }: RecordedFrame): string {
  const [what = '', ...more] = summary.split(' · ');
  return [what, ...more.filter((each) => /^\d{4} /.test(each))].join(' · ');
}

/** Commands that end a receipt or open the drawer, and the printer's own messages. */
function paperKindOf({ summary, direction }: RecordedFrame): string | undefined {
  if (direction === 'toTerminal') return summary;
  const acts = summary.split(' · ').map((each) => /^(?:GS V |ESC p )?(cut|pulse to the drawer)$/.exec(each)?.[1]);
  const found = acts.filter((each) => each !== undefined);
  return found.length === 0 ? undefined : found.join(', ');
}

function dropRepeat(kinds: string[], length: number): void {
  const last = kinds.slice(-length);
  const before = kinds.slice(-2 * length, -length);
  if (before.length === length && last.every((each, at) => each === before[at])) kinds.length -= length;
}

/** The kinds of the events about each request, by its place among the requests: its states, and its receipt. */
export function eventStories(events: readonly RecordedEvent[]): Map<string, string[]> {
  const stories = new Map<string, string[]>();
  for (const { event, of, told } of events) {
    if (of === undefined) continue;
    // The moment at which the receipt is printed depends only on the printer.
    const name = event === 'state' ? `request ${of + 1}, its states` : `request ${of + 1}, its ${event}`;
    const words = Object.values(told).filter((each) => typeof each === 'string');
    stories.set(name, [...(stories.get(name) ?? []), words.join(' ')]);
  }
  return stories;
}
