import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { completionFor } from '../src/admin/commands/completion.ts';
import { manualPage, simulatorPage } from '../src/admin/commands/manual.ts';

export interface Documents {
  readonly name: 'poid' | 'poid-sim';
  readonly version: string;
  /** Seconds since 1970, of the changelog's entry. */
  readonly epoch: number;
  /** Licences of what else is inside, in full. */
  readonly licences?: string;
}

/** What Debian wants of every package: man page, completion, changelog, copyright, and why lintian is not always right (lintian(1)). */
export function writeDocuments(tree: string, { name, version, epoch, licences = '' }: Documents): void {
  const write = (file: string, text: string | Buffer) => {
    mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    writeFileSync(path.join(tree, file), text);
  };
  const source = (file: string) => readFileSync(new URL(`debian/${name}.${file}`, import.meta.url), 'utf8');
  // No time and no name in what gzip writes: the same bytes each time.
  const packed = (text: string) => gzipSync(text, { level: 9 });
  const page = name === 'poid' ? manualPage : simulatorPage;
  const date = new Date(1_000 * epoch).toISOString().slice(0, 10);
  write(`usr/share/man/man8/${name}.8.gz`, packed(page(version, date)));
  if (name === 'poid') for (const [shell, file] of completions) write(file, completionFor(shell));
  write(`usr/share/doc/${name}/changelog.gz`, packed(changelog(name, version, epoch)));
  write(`usr/share/doc/${name}/copyright`, `${own}${licences}`);
  write(`usr/share/lintian/overrides/${name}`, source('lintian-overrides'));
}

/** Where each shell looks for what completes the commands of packages. */
const completions = [
  ['bash', 'usr/share/bash-completion/completions/poid'],
  ['zsh', 'usr/share/zsh/vendor-completions/_poid'],
  ['fish', 'usr/share/fish/vendor_completions.d/poid.fish'],
] as const;

function changelog(name: string, version: string, epoch: number): string {
  const date = new Date(1_000 * epoch).toUTCString().replace('GMT', '+0000');
  return `${name} (${version}) bookworm; urgency=medium

  * What changed is in CHANGELOG.md of the sources.

 -- poid <poid@example.invalid>  ${date}
`;
}

const own = `Copyright: 2026, the authors of poid
License: Apache-2.0
 On Debian systems, the text of this licence is in /usr/share/common-licenses/Apache-2.0.
`;
