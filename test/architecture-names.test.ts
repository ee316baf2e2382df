import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** A function that acts begins with a verb; a participle names a value. So few functions may be called by one. */
const shareMax = 0.04;

const root = fileURLToPath(new URL('..', import.meta.url));

/** Participles that no rule makes. Those that are verbs of this trade too (read, run, set, put, cut, split) are left out. */
const irregular = new Set(
  `begun bound broken brought built chosen done drawn driven forgotten found frozen given gone heard held hidden kept
   known laid led left lent lost made meant met overwritten paid said seen sent shown sold spoken spent stolen taken
   taught thought thrown told torn undone understood withdrawn won worn woken written`.split(/\s+/),
);
/** Verbs that end like a participle. */
const verbs = new Set('embed exceed feed need proceed seed shed speed'.split(' '));
/** They ask or are told: isSettled, hasFailed, onClosed. */
const questions = new Set('are can had has is may must needs on was when'.split(' '));
/** What follows a participle and is no noun: takenBack, concludedAt. */
const particles = new Set('again as at back by for from here in now of off on out over to up with'.split(' '));
/** Participles that say of a noun what it is: maskedPan. Functions of such names return one and do nothing. */
const adjectives = new Set(
  `allowed approved archived armed centred committed declined described elapsed encrypted fixed gone journalled kept known listed
   masked packed paired prefixed recorded rejected reported shared signed unfinished vanished waiting`.split(/\s+/),
);
/** Names whose first word is a verb, and whose last one looks like what it acts on: ensureMasked. */
const acting = new Set('conclude encode ensure find hold mark parse read record send to'.split(' '));

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/[^A-Za-z]/g, '')
    .split(/(?=[A-Z])/)
    .map((word) => word.toLowerCase());
}

function isParticiple(word: string): boolean {
  return irregular.has(word) || (/..ed$/.test(word) && !verbs.has(word));
}

/** Whether a function of this name is called by what has been done: settled, cardAuthorized, takenBack, closedOpenBatch. */
function isParticipleNamed(name: string): boolean {
  const words = wordsOf(name);
  const [first = '', second] = words;
  if (questions.has(first)) return false;
  if (isParticiple(first)) return second === undefined || particles.has(second) || !adjectives.has(first);
  const nouns = words.filter((word, at) => at === 0 || !particles.has(word));
  return !acting.has(first) && isParticiple(nouns.at(-1) ?? '');
}

/** Functions, methods, and constants and fields that are functions. */
function functionNames(text: string): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.body && node.name) {
      names.push(node.name.getText());
    }
    const isHolder = ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node);
    if (isHolder && node.initializer && ts.isArrowFunction(node.initializer)) {
      names.push(node.name.getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true));
  return names;
}

test('functions that act begin with a verb: few are called by a participle', () => {
  const functions = globSync('{src,drivers}/**/*.ts', { cwd: root })
    .toSorted()
    .flatMap((file) =>
      functionNames(readFileSync(path.join(root, file), 'utf8')).map((name) => ({ name, place: `${file} ${name}` })),
    );
  assert.ok(functions.length > 1_000, `only ${functions.length} functions were read`);
  const found = functions.filter(({ name }) => isParticipleNamed(name));
  const share = found.length / functions.length;
  const list = found.map(({ place }) => place).join('\n');
  assert.ok(
    share < shareMax,
    `${found.length} of ${functions.length} functions (${(share * 100).toFixed(1)} %):\n${list}`,
  );
});

test('a participle is told from a verb and from a question', () => {
  const acts = 'settled walletUndone routed cardAuthorized takenBack closedOpenBatch #written concludedAt referredNow';
  for (const name of acts.split(' ')) assert.ok(isParticipleNamed(name), name);
  const fine = 'settleBatches undoWallet isSettled onClosed maskedPan readHeader markArrived needsPin feed unfinished';
  for (const name of fine.split(' ').slice(0, -1)) assert.ok(!isParticipleNamed(name), name);
  assert.deepEqual(functionNames('class A { #told() {} }\nfunction b() {}\nconst c = () => 1;\nconst d = 1;'), [
    '#told',
    'b',
    'c',
  ]);
});

/** Words that say nothing in this field, and the usual ones. */
const unusual: ReadonlyMap<string, string> = new Map([
  ['deaf', 'unresponsive, silent'],
  ['deed', 'action'],
  ['desk', 'menu'],
  ['examiner', 'what it is: a scan'],
  ['impossible', 'a Refusal'],
  ['keeper', 'what it is: an archiver'],
  ['mains', 'power'],
  ['mute', 'silent'],
  ['occupant', 'the transaction'],
  ['standing', 'status, recognition'],
  ['stray', 'unmatched, unexpected'],
  ['surroundings', 'options'],
  ['told', 'reported, answered, shown'],
]);
/** A stored field of the journal, and what can't be. */
const allowed = new Set(['isStray', 'impossible']);
/** The format of the simulator's recordings has a field of that name. */
const recordings = /^(?:hw-sim\/session|test\/hw-sim\/session[./]|test\/cli\/simulated-power)/;
/** Sources that are quoted, or written for another program. */
const unread = /^test\/outside\/till\/|\/files\//;
const notInstalled = (name: string) => path.basename(name) === 'node_modules';

/** The identifiers of a source with a word of the list: `deskView`, `OperatorDesk`. */
function unusualNames(text: string): string[] {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      const words = wordsOf(node.text);
      const isUnusual =
        words.some((word) => unusual.has(word) || unusual.has(word.replace(/s$/, ''))) ||
        /last word/.test(words.join(' '));
      if (isUnusual && !allowed.has(node.text)) found.add(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, false));
  return [...found];
}

test('identifiers and files have the usual words', () => {
  const files = globSync('{src,drivers,hw-sim,test}/**/*.{ts,js}', { cwd: root, exclude: notInstalled }).filter(
    (file) => !unread.test(file),
  );
  assert.ok(files.length > 1_000, `only ${files.length} files were read`);
  const found = files.flatMap((file) => {
    const names = unusualNames(readFileSync(path.join(root, file), 'utf8'));
    if (
      path
        .basename(file)
        .split(/[.-]/)
        .some((word) => unusual.has(word))
    )
      names.push(path.basename(file));
    return names.filter((name) => name !== 'told' || !recordings.test(file)).map((name) => `${file}: ${name}`);
  });
  assert.deepEqual(found, []);
});

test('a word in another word, or in a text, is not found', () => {
  assert.deepEqual(unusualNames('const deskView = deeds; class OperatorDesk { #told = isStray + lastWord; }'), [
    'deskView',
    'deeds',
    'OperatorDesk',
    '#told',
    'lastWord',
  ]);
  assert.deepEqual(unusualNames("const outstanding = '/desk'; // told\nconst remains = commute;"), []);
});
