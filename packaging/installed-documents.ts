import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const place = 'usr/share/doc/poid';

/** Documents that are elsewhere in the sources. The one about the unit is not the README of all. */
const others = {
  'README.md': 'README.md',
  'SECURITY.md': 'SECURITY.md',
  'systemd/README.md': 'systemd.md',
  'systemd/poid.json': 'examples/poid.json',
  'src/methods/wallet/settings/wallets.json': 'wallets.json',
} as const;

/** Documents for whoever changes the code. They stay in the sources. */
export const sourcesOnly = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'docs/decisions',
  'docs/glossary.md',
  'fixtures/README.md',
] as const;

/** Every document of the terminal, side by side, so that each link between two of them leads somewhere. */
export function installDocuments(tree: string): void {
  const doc = path.join(tree, place);
  cpSync(path.join(root, 'docs'), doc, {
    recursive: true,
    filter: (from) => !isSourcesOnly(path.relative(root, from)),
  });
  for (const [from, to] of Object.entries(others)) {
    mkdirSync(path.dirname(path.join(doc, to)), { recursive: true });
    cpSync(path.join(root, from), path.join(doc, to));
  }
  for (const name of globSync('*.md', { cwd: doc })) {
    const file = path.join(doc, name);
    writeFileSync(
      file,
      withLinks(readFileSync(file, 'utf8'), (target) => installedAs(target)),
    );
  }
}

/** The simulator's document is its package's README. The package needs the terminal's, so it links to the documents there. */
export function installSimulatorDocument(tree: string): void {
  const doc = path.join(tree, 'usr/share/doc/poid-sim');
  mkdirSync(doc, { recursive: true });
  const text = readFileSync(path.join(root, 'docs/simulator.md'), 'utf8');
  writeFileSync(
    path.join(doc, 'README.md'),
    withLinks(text, (target) => (target.startsWith('#') ? target : `../poid/${installedAs(target)}`)),
  );
}

function isSourcesOnly(file: string): boolean {
  return sourcesOnly.some((each) => file === each || file.startsWith(`${each}/`));
}

/** Links to addresses of the web stay. Those to documents that are not installed become their text. */
function withLinks(text: string, change: (target: string) => string): string {
  return text
    .replaceAll(/\[([^\]]*)\]\((?!\w+:)([^)\s#]+)[^)\s]*\)/g, (link: string, name: string, target: string) =>
      isSourcesOnly(fromRoot(target)) ? name : link,
    )
    .replaceAll(/\]\((?!\w+:)([^)\s]+)\)/g, (_, target: string) => `](${change(target)})`)
    .replaceAll(/(<img src=")(?!\w+:)([^"]+)/g, (_, before: string, target: string) => before + change(target));
}

/** The file that a link of README.md or of docs/ leads to. */
function fromRoot(target: string): string {
  return [target, path.join('docs', target)].find(isSourcesOnly) ?? target.replace(/^\.\.\//, '');
}

/** A link of the sources, from README.md or from docs/. */
function installedAs(target: string): string {
  const known = Object.entries(others).find(([from]) => target === from || target === `../${from}`);
  return known ? known[1] : target.replace(/^docs\//, '');
}
