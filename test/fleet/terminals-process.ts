import { SimulatedTerminal } from './simulated-terminal.ts';

/** A part of the fleet in a process: names, and what main.ts asks of them. */
const [url = '', first = '0', count = '0'] = process.argv.slice(2);
const before = process.memoryUsage().rss;
const terminals = Array.from(
  { length: Number(count) },
  (_, at) => new SimulatedTerminal(`T-${Number(first) + at}`, url),
);

process.on('message', (asked: 'state' | 'flap' | 'journals') => {
  if (asked === 'flap') for (const each of terminals.filter((_, at) => at % 2 === 0)) each.flap();
  const { rss } = process.memoryUsage();
  process.send?.({
    up: terminals.filter(({ isUp }) => isUp).length,
    settled: terminals.filter(({ isSettled }) => isSettled).length,
    repeats: terminals.reduce((sum, { repeats }) => sum + repeats, 0),
    bytesPerTerminal: Math.round((rss - before) / terminals.length),
    ...(asked === 'journals'
      ? { journals: terminals.map(({ name, journal }) => [name, journal.map(({ id }) => id)]) }
      : {}),
  });
});
