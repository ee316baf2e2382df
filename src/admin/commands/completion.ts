import { bashCompletion } from './completion-bash.ts';
import { fishCompletion } from './completion-fish.ts';
import { zshCompletion } from './completion-zsh.ts';

/** The script of a shell by its name; empty for a shell that is none of these. */
export function completionFor(shell: string): string {
  const scripts: Readonly<Record<string, () => string>> = {
    bash: bashCompletion,
    fish: fishCompletion,
    zsh: zshCompletion,
  };
  return scripts[shell]?.() ?? '';
}
