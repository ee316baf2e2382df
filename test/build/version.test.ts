import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BuildError } from '../../build/addons.ts';
import { hasDate, readVersion, type VersionFacts, versionOf } from '../../build/version.ts';
import { Checkout, changelog } from './checkout.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [night, noon] = ['2026-11-26T00:00:07Z', '2026-11-26T12:00:00Z'] as const;

/** Whether dpkg takes one for older than the other. */
function isOlder(one: string, other: string): boolean {
  const { status, stderr } = spawnSync('dpkg', ['--compare-versions', one, 'lt', other], { encoding: 'utf8' });
  assert.equal(stderr, '', `${one} and ${other} are versions`);
  return status === 0;
}

/** The expression that semver.org suggests, without build metadata. */
const semver =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?$/;

const at = (time: string, id: string, more: object = {}): VersionFacts => ({
  release: '0.2.0',
  commit: { id: id.padEnd(40, '0'), seconds: Date.parse(time) / 1_000, isChanged: false, dated: 'never', ...more },
});

describe('the version of a build', () => {
  for (const [what, facts, text, npm] of [
    ['a commit', at(night, '00abc'), '0.2.0~git20261126000007.g00abc0000000', '0.2.0-git.20261126000007.g00abc0000000'],
    [
      'local changes',
      at(noon, '1234567890', { isChanged: true }),
      '0.2.0~git20261126120000.g123456789000.local',
      '0.2.0-git.20261126120000.g123456789000.local',
    ],
    ['the release', at(noon, 'abc', { dated: 'here' }), '0.2.0', '0.2.0'],
    [
      'local changes on the release',
      at(noon, 'abc', { dated: 'here', isChanged: true }),
      '0.2.0~git20261126120000.gabc000000000.local',
      '0.2.0-git.20261126120000.gabc000000000.local',
    ],
    ['no git', { release: '0.2.0', commit: { noCommit: 'no git' } }, '0.2.0~git0.local', '0.2.0-git.0.local'],
  ] as const) {
    test(`${what}: ${text}`, () => {
      const version = versionOf(facts);
      assert.deepEqual([version.text, version.npm], [text, npm]);
      assert.match(version.npm, semver);
      assert.ok(version.text.length <= 64, 'hawkBit takes 64 characters');
    });
  }

  test('dpkg puts each build between the release before and its own, and the later commit of a day last', () => {
    const inOrder = [
      '0.1.0',
      versionOf({ release: '0.2.0', commit: { noCommit: 'no git' } }).text,
      versionOf(at('2025-12-31T23:59:59Z', 'ffff')).text,
      versionOf(at(night, 'ffff')).text,
      versionOf(at(night, 'ffff', { isChanged: true })).text,
      versionOf(at('2026-11-26T00:00:08Z', '0000')).text,
      versionOf(at('2026-11-26T09:59:59Z', '9999')).text,
      versionOf(at('2026-11-26T10:00:00Z', '0000')).text,
      versionOf(at(noon, '0000', { dated: 'here', isChanged: true })).text,
      versionOf(at(noon, '0000', { dated: 'here' })).text,
      versionOf({ release: '0.2.1', commit: { noCommit: 'no git' } }).text,
      versionOf({ ...at(noon, '0000'), release: '0.2.1' }).text,
      '0.2.1',
      versionOf({ ...at(noon, '0000'), release: '0.10.0' }).text,
    ];
    for (const [index, later] of inOrder.entries()) {
      for (const earlier of inOrder.slice(0, index)) {
        assert.ok(isOlder(earlier, later) && !isOlder(later, earlier), `${earlier} < ${later}`);
      }
    }
  });

  for (const release of ['0.2', '0.2.0-rc.1', '0.2.0~rc1', '01.2.0', 'next', '']) {
    test(`'${release}' in package.json is refused`, () => {
      assert.throws(() => versionOf({ release, commit: { noCommit: 'no git' } }), BuildError);
    });
  }
});

describe('a section of CHANGELOG.md', () => {
  for (const heading of [
    '## 1.2.0, 2026-11-26',
    '## 1.2.0 - 2026-11-26',
    '## [1.2.0] - 2026-11-26',
    '## 1.2.0 (2026-11-26)',
    '## 1.2.0 2026-11-26 \r',
  ]) {
    test(`"${heading.trim()}" has a date`, () => assert.ok(hasDate(`# C\n\n${heading}\n\ntext\n`, '1.2.0')));
  }
  for (const text of [
    '## 1.2.0, unreleased',
    '## 1.2.0',
    '## 1.2.0, 2026-13-01',
    '## 1.2.0, unreleased since 2026-11-26',
    '## 11.2.0, 2026-11-26',
    '## 1.2.01, 2026-11-26',
    '## 1x2.0, 2026-11-26',
    '## 1.2.0~rc1, 2026-11-26',
    '### 1.2.0, 2026-11-26',
    'See ## 1.2.0, 2026-11-26',
    '## 1.2.0, unreleased\n\n2026-11-26',
    '## 1.1.0, 2026-11-26',
  ]) {
    test(`"${text.replaceAll('\n', ' ')}" has none`, () => assert.ok(!hasDate(`# C\n\n${text}\n`, '1.2.0')));
  }
});

describe('a checkout', () => {
  test('a commit is named by its committer’s time in UTC; of two on one day the later is newer', (t) => {
    const checkout = Checkout.committed(t);
    const first = checkout.commit('2026-11-26T07:59:59+08:00');
    const { text: earlier, what } = readVersion(checkout.dir);
    assert.equal(earlier, `1.2.0~git20261125235959.${first}`);
    assert.equal(what, 'not a release: CHANGELOG.md has no date for 1.2.0');
    const second = checkout.commit('2026-11-26T08:00:00+08:00');
    const { text: later, npm } = readVersion(checkout.dir);
    assert.deepEqual([later, npm], [`1.2.0~git20261126000000.${second}`, `1.2.0-git.20261126000000.${second}`]);
    assert.ok(isOlder(earlier, later));
  });

  test('only the commit that dates the section is the release', (t) => {
    const checkout = Checkout.committed(t);
    checkout.write('CHANGELOG.md', changelog('2026-11-26'));
    assert.match(readVersion(checkout.dir).text, /^1\.2\.0~git\d{14}\.g[0-9a-f]{12}\.local$/);
    checkout.commit(noon);
    assert.deepEqual(readVersion(checkout.dir), {
      text: '1.2.0',
      npm: '1.2.0',
      what: 'the release: this commit dates its section of CHANGELOG.md',
    });
    checkout.write('CHANGELOG.md', changelog('2026-11-27'));
    const next = checkout.commit('2026-11-26T12:00:01Z');
    const { text, what } = readVersion(checkout.dir);
    assert.equal(text, `1.2.0~git20261126120001.${next}`);
    assert.match(
      what,
      /^not a release: CHANGELOG\.md had a date for 1\.2\.0 before.*raise the version in package\.json/,
    );
    checkout.write('package.json', JSON.stringify({ version: '1.3.0' }));
    checkout.commit('2026-11-26T12:00:02Z');
    assert.match(readVersion(checkout.dir).what, /^not a release: CHANGELOG\.md has no date for 1\.3\.0$/);
    assert.ok(isOlder('1.2.0', readVersion(checkout.dir).text));
  });

  test('a first commit may be the release', (t) => {
    const checkout = Checkout.make(t);
    checkout.write('CHANGELOG.md', changelog('2026-11-26'));
    checkout.git('init', '--quiet');
    checkout.commit(noon);
    assert.equal(readVersion(checkout.dir).text, '1.2.0');
  });

  test('a merge is the release only if it dates the section itself', (t) => {
    const checkout = Checkout.committed(t);
    checkout.git('checkout', '--quiet', '-b', 'release');
    checkout.write('CHANGELOG.md', changelog('2026-11-26'));
    checkout.commit(noon);
    checkout.git('checkout', '--quiet', 'main');
    checkout.commit(noon);
    checkout.git('merge', '--quiet', '--no-ff', '--no-edit', 'release');
    assert.match(readVersion(checkout.dir).text, /^1\.2\.0~git/);
    checkout.git('reset', '--quiet', '--hard', 'main^');
    checkout.git('checkout', '--quiet', '-b', 'other', 'main~1');
    checkout.commit(night);
    checkout.git('checkout', '--quiet', 'main');
    checkout.git('merge', '--quiet', '--no-ff', '--no-commit', 'other');
    checkout.write('CHANGELOG.md', changelog('2026-11-26'));
    checkout.commit(noon);
    assert.equal(checkout.git('rev-list', '--parents', '--max-count=1', 'HEAD').split(' ').length, 3);
    assert.equal(readVersion(checkout.dir).text, '1.2.0');
  });

  for (const [what, change] of [
    ['a changed file', (checkout: Checkout) => checkout.write('CHANGELOG.md', changelog('2026-11-26').trim())],
    ['a file that git does not know', (checkout: Checkout) => checkout.write('a/b', '')],
    [
      'one that the user’s settings hide',
      (checkout: Checkout) => {
        checkout.git('config', 'status.showUntrackedFiles', 'no');
        checkout.write('b', '');
      },
    ],
    [
      'a file that is to be committed',
      (checkout: Checkout) => {
        checkout.write('c', '');
        checkout.git('add', 'c');
      },
    ],
    ['a file that is gone', (checkout: Checkout) => checkout.git('rm', '--quiet', '.gitignore')],
  ] as const) {
    test(`${what} makes it local, also of the release`, (t) => {
      const checkout = Checkout.committed(t);
      checkout.write('CHANGELOG.md', changelog('2026-11-26'));
      const name = checkout.commit(noon);
      assert.equal(readVersion(checkout.dir).text, '1.2.0');
      change(checkout);
      const { text, what: said } = readVersion(checkout.dir);
      assert.equal(text, `1.2.0~git20261126120000.${name}.local`);
      assert.equal(said, 'not a release: this commit dates 1.2.0 in CHANGELOG.md; with local changes');
    });
  }

  test('what git ignores does not make it local', (t) => {
    const checkout = Checkout.committed(t);
    for (const file of ['a.ignored', 'packages/b.ignored']) checkout.write(file, '');
    assert.match(readVersion(checkout.dir).text, /\.g[0-9a-f]{12}$/);
  });

  test('linked worktrees and other ways to it are the same', (t) => {
    const checkout = Checkout.committed(t);
    const { text } = readVersion(checkout.dir);
    checkout.git('worktree', 'add', '--quiet', '../linked');
    symlinkSync(checkout.dir, path.join(checkout.dir, '../way'));
    for (const other of ['../linked', '../way']) assert.equal(readVersion(path.join(checkout.dir, other)).text, text);
  });

  test('without git, an empty repository, below another repository: local', (t) => {
    const checkout = Checkout.make(t);
    const local = (what: string) => ({
      text: '1.2.0~git0.local',
      npm: '1.2.0-git.0.local',
      what: `not a release: ${what}`,
    });
    assert.deepEqual(readVersion(checkout.dir), local('this directory is no git checkout'));
    checkout.git('init', '--quiet');
    assert.deepEqual(readVersion(checkout.dir), local('nothing is committed'));
    const around = Checkout.committed(t);
    cpSync(path.join(checkout.dir, 'package.json'), path.join(around.dir, 'unpacked/package.json'));
    around.commit(noon);
    assert.deepEqual(
      readVersion(path.join(around.dir, 'unpacked')),
      local('this directory is no git checkout of its own'),
    );
  });

  test('git is not installed', (t) => {
    const checkout = Checkout.committed(t);
    const { PATH } = process.env;
    process.env['PATH'] = checkout.dir;
    try {
      const { text, what } = readVersion(checkout.dir);
      assert.deepEqual([text, what], ['1.2.0~git0.local', 'not a release: git is not installed']);
    } finally {
      process.env['PATH'] = PATH;
    }
  });

  test('the variables of a hook of another repository do not matter', (t) => {
    const [checkout, other] = [Checkout.committed(t), Checkout.committed(t)];
    const { text } = readVersion(checkout.dir);
    const variables = { GIT_DIR: path.join(other.dir, '.git'), GIT_WORK_TREE: other.dir };
    other.commit(noon);
    Object.assign(process.env, variables);
    try {
      assert.equal(readVersion(checkout.dir).text, text);
    } finally {
      for (const name of Object.keys(variables)) delete process.env[name];
    }
  });

  test('that belongs to another user', { skip: process.getuid?.() !== 0 && 'only root can give a file away' }, (t) => {
    const checkout = Checkout.committed(t);
    const { text } = readVersion(checkout.dir);
    execFileSync('chown', ['-R', '65534', checkout.dir]);
    assert.throws(() => execFileSync('git', ['status'], { cwd: checkout.dir, stdio: 'pipe' }), /dubious ownership/);
    assert.equal(readVersion(checkout.dir).text, text);
  });

  test('a shallow clone of a commit with a date may be the release: that is said, until it has the commit before', (t) => {
    const checkout = Checkout.committed(t);
    const shallow = (name: string) => {
      checkout.git('clone', '--quiet', '--depth', '1', `file://${checkout.dir}`, path.join('..', name));
      return new Checkout(path.join(checkout.dir, '..', name));
    };
    assert.equal(readVersion(shallow('undated').dir).doubt, undefined);
    checkout.write('CHANGELOG.md', changelog('2026-11-26'));
    const name = checkout.commit(noon);
    const clone = shallow('dated');
    const { text, doubt } = readVersion(clone.dir);
    assert.equal(text, `1.2.0~git20261126120000.${name}`);
    assert.match(doubt ?? '', /^this shallow clone lacks the commit before.*git fetch --deepen 1$/);
    clone.git('fetch', '--quiet', '--deepen', '1');
    assert.equal(readVersion(clone.dir).text, '1.2.0');
  });
});

describe('this checkout', () => {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };

  test('package.json, its lock and the first section of CHANGELOG.md name one version', () => {
    const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
    assert.deepEqual([lock.version, lock.packages[''].version], [version, version]);
    const [, first] = /^## ([\d.]+),/m.exec(readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')) ?? [];
    assert.equal(first, version);
  });

  test('the version in package.json is no release of an earlier commit: the commit after a release raises it', () => {
    assert.doesNotMatch(readVersion().what, /raise the version/);
  });
});
