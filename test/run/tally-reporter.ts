import type { TestEvent } from 'node:test/reporters';
import path from 'node:path';
import type { Counted } from './tally.ts';

/**
 * A reporter of node:test: a line of JSON for each test that has ended. Where files share a process, each is a suite of its
 * name (shared.ts); a file that has a process of its own is the process's program.
 */
export default async function* tallied(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const program = path.relative(process.cwd(), process.argv[1] ?? '');
  const isShared = program === path.join('test', 'run', 'shared.ts');
  let file = program;
  for await (const event of events) {
    if (event.type === 'test:start' && event.data.nesting === 0 && isShared) file = event.data.name;
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { details, skip, todo } = event.data;
    // A suite that is skipped has no tests that could be counted.
    if (details.type === 'suite' && skip === undefined) continue;
    const failed = event.type === 'test:fail' && todo === undefined;
    const counted: Counted = {
      file,
      verdict: failed ? 'failed' : skip === undefined ? 'passed' : 'skipped',
      ...(typeof skip === 'string' ? { why: skip } : {}),
    };
    yield `${JSON.stringify(counted)}\n`;
  }
}
