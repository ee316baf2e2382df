import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { installDocuments, installSimulatorDocument, sourcesOnly } from '../../packaging/installed-documents.ts';
import { manualPage, simulatorPage } from '../../src/admin/commands/manual.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What the packages install below /usr/share/doc. */
let tree: string;
before(() => {
  tree = mkdtempSync(path.join(tmpdir(), 'poid-documents-'));
  installDocuments(tree);
  installSimulatorDocument(tree);
});
after(() => rmSync(tree, { recursive: true }));

/** The anchors that a page of Markdown gets for its headings, as GitHub and most viewers make them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}

/** Links of Markdown and HTML that lead nowhere, each with the page that has it. */
function deadLinks(pages: readonly string[], folder: string): string[] {
  return pages.flatMap((page) => {
    const text = readFileSync(path.join(folder, page), 'utf8');
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g), ...text.matchAll(/^\[[^\]]+\]: (\S+)$/gm)];
    return links.flatMap(([, target = '']) => {
      if (/^\w+:/.test(target)) return [];
      const [file = '', anchor] = target.split('#');
      const place = file === '' ? path.join(folder, page) : path.join(folder, path.dirname(page), file);
      const isThere = existsSync(place) && (anchor === undefined || anchorsOf(readFileSync(place, 'utf8')).has(anchor));
      return isThere ? [] : [`${page}: ${target}`];
    });
  });
}

describe('the documents on a terminal', () => {
  for (const name of ['poid', 'poid-sim']) {
    test(`every link between those of ${name} leads somewhere, with its anchor`, () => {
      const folder = path.join(tree, 'usr/share/doc', name);
      const pages = globSync('**/*.md', { cwd: folder });
      assert.ok(pages.length > 0);
      assert.deepEqual(deadLinks(pages, folder), []);
    });
  }

  test('every document that another one names is there', () => {
    const folder = path.join(tree, 'usr/share/doc/poid');
    const elsewhere = new Set(sourcesOnly.map((each) => path.basename(each)));
    const missing = globSync('*.md', { cwd: folder }).flatMap((page) =>
      [...readFileSync(path.join(folder, page), 'utf8').matchAll(/(?<![\w/-])(?:docs\/)?([\w-]+\.md)\b/g)].flatMap(
        ([, named = '']) => (existsSync(path.join(folder, named)) || elsewhere.has(named) ? [] : [`${page}: ${named}`]),
      ),
    );
    assert.deepEqual(missing, []);
  });

  test('whatever names a place below /usr/share/doc names one that is there', () => {
    const files = globSync('{src,systemd,docs,packaging,image,bin,hw-sim}/**/*', { cwd: root, withFileTypes: true })
      .filter((each) => each.isFile() && !/\.(?:png|jpg|gz)$/.test(each.name))
      .map((each) => path.join(each.parentPath, each.name));
    const texts = new Map(files.map((file) => [path.relative(root, file), readFileSync(file, 'utf8')]));
    texts.set('poid(8)', manualPage('1', '2026-01-01'));
    texts.set('poid-sim(8)', simulatorPage('1', '2026-01-01'));
    // What writeDocuments and the build make besides.
    const made = /\/(?:changelog\.gz|copyright|poid\.cdx\.json)$/;
    const named = [...texts].flatMap(([file, text]) =>
      [...text.matchAll(/\/?\busr\/share\/doc\/(?:poid|poid-sim)\b[\w./-]*[\w/]/g)].map(
        ([place]) => [file, place] as const,
      ),
    );
    assert.ok(named.length > 5);
    assert.deepEqual(
      named.filter(([, place]) => !made.test(place) && !existsSync(path.join(tree, place))),
      [],
    );
  });

  test('the unit’s Documentation= is installed', () => {
    for (const file of globSync('{systemd,image/files/usr/lib/systemd/system}/*.service', { cwd: root })) {
      const unit = readFileSync(path.join(root, file), 'utf8');
      for (const [, place = ''] of unit.matchAll(/^Documentation=.*?file:(\S+)/gm)) {
        assert.ok(statSync(path.join(tree, place)).isFile(), `${file}: ${place}`);
      }
    }
  });

  test('in the sources, the same links lead somewhere', () => {
    const pages = globSync('{*.md,docs/*.md,docs/decisions/*.md,systemd/*.md,fixtures/*.md}', { cwd: root });
    assert.deepEqual(deadLinks(pages, root), []);
  });
});
