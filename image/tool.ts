import { execFileSync } from 'node:child_process';
import { BuildError } from '../build/addons.ts';

interface ToolOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a program of the build. Throws BuildError with what the program said. */
export function runTool(program: string, parameters: readonly string[], options: ToolOptions = {}): void {
  try {
    execFileSync(program, parameters, { input: '', maxBuffer: 1 << 28, ...options, stdio: 'pipe' });
  } catch (error) {
    const { code, stderr, message } = error as NodeJS.ErrnoException & { stderr?: Buffer };
    if (code === 'ENOENT') throw new BuildError(`${program} is missing: CONTRIBUTING.md names Debian's packages`);
    throw new BuildError(`${program}: ${stderr?.toString().trim() || message}`);
  }
}
