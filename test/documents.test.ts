import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (page: string) => readFileSync(`${root}${page}`, 'utf8');

const decisions = globSync('docs/decisions/[0-9]*.md', { cwd: root }).toSorted();
const index = 'docs/decisions/README.md';

/** Files and folders of the sources that a page names in code spans, but for patterns and placeholders. */
function placesIn(text: string): string[] {
  const spans = text.matchAll(/`((?:src|drivers|hw-sim|test|image|build|bin|fixtures|systemd|packaging)\/[^`\s]*)`/g);
  return [...spans].map(([, place = '']) => place).filter((place) => !/[*<>{}…]/.test(place));
}

describe('documents for whoever changes the code', () => {
  for (const page of [
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'docs/glossary.md',
    'docs/foreign-bytes.md',
    index,
    ...decisions,
  ]) {
    test(`${page} names places that are there`, () => {
      assert.deepEqual(
        placesIn(read(page)).filter((place) => !existsSync(`${root}${place}`)),
        [],
      );
    });
  }

  test('ARCHITECTURE names the places of a change', () => {
    const [, section = assert.fail('no such section')] = read('ARCHITECTURE.md').split('\n## Where to change what\n');
    assert.ok(placesIn(section).length > 60);
  });

  test('the glossary names a place for each term', () => {
    const rows = read('docs/glossary.md')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\| (?:term|nexo) /.test(line));
    assert.ok(rows.length > 50);
    assert.deepEqual(
      rows.filter((row) => placesIn(row).length === 0),
      [],
    );
  });
});

describe('decisions', () => {
  test('their index lists each once, in order, by its title', () => {
    const listed = [...read(index).matchAll(/^- \[(\d{4})\]\((.+\.md)\) (.+)$/gm)];
    assert.deepEqual(
      listed.map(([, number = '', file = '', title = '']) => [number, `docs/decisions/${file}`, title]),
      decisions.map((page) => {
        const [, number = '', title = ''] = /^# (\d+)\. (.+)\n/.exec(read(page)) ?? [];
        return [number.padStart(4, '0'), page, title];
      }),
    );
    assert.deepEqual(
      decisions.filter((page, at) => Number(page.slice('docs/decisions/'.length).slice(0, 4)) !== at + 1),
      [],
    );
  });

  test('each has a context, a decision and its consequence', () => {
    assert.deepEqual(
      decisions.filter(
        (page) =>
          read(page)
            .match(/^## .+$/gm)
            ?.join() !== '## Context,## Decision,## Consequence',
      ),
      [],
    );
  });
});

test('README has at most 160 lines, ARCHITECTURE at most 220', () => {
  const lines = (page: string) => read(page).trimEnd().split('\n').length;
  assert.ok(lines('README.md') <= 160);
  assert.ok(lines('ARCHITECTURE.md') <= 220);
});
