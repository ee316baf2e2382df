import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inState, stateDirectory, writtenFileAt, writtenFiles } from '../../src/base/domain/written-files.ts';

/** The rows of docs/operations.md, as they follow from the table. */
const rows = writtenFiles.map((each) => {
  const cells = [
    `${each.place.replaceAll('*', '\\*')}${'onImage' in each ? ' (image)' : ''}`,
    each.what,
    each.owner === 'both' ? 'poid or root' : each.owner,
    `the ${each.holds}’s`,
    each.reset,
    each.place.startsWith(`${stateDirectory}/`) ? 'yes' : '',
    'extract' in each ? 'yes' : '',
  ];
  return `| ${cells.join(' | ')} |`.replaceAll(/\|  (?=\|)/g, '| ');
});

test('docs/operations.md lists what the terminal writes as the table has it', () => {
  const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const [, section = ''] = /^## What the terminal writes\n(.*?)^## /ms.exec(text) ?? [];
  const found = section.split('\n').filter((line) => line.startsWith('| /'));
  assert.deepEqual(found, rows);
});

test('each line fits its own place and no other line takes it', () => {
  for (const each of writtenFiles) {
    const file = each.place.endsWith('/') ? `${each.place}x` : each.place.replaceAll('*', 'x');
    assert.equal(writtenFileAt(file)?.place, each.place, file);
  }
  for (const file of [
    '/var/lib/poid/journal.sqlite',
    '/var/lib/poid/a/journal.db',
    '/etc/poid.json',
    '/etc/credstore/x',
  ])
    assert.equal(writtenFileAt(file), undefined, file);
  assert.equal(writtenFileAt('/var/lib/poid/archive-2026-01.2.jsonl.gz')?.reset, 'removed');
});

test('a file of the state directory is below it, however that is written', () => {
  for (const dir of ['/srv/state', '/srv/state/']) assert.equal(inState(dir, 'tls.pem'), '/srv/state/tls.pem');
  assert.equal(inState('.', 'journal.db'), './journal.db');
});
