import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { after, before, test, type TestContext, type TestOptions } from 'node:test';

/** Programs that README does not name and some tests start, and the Debian packages that have them. */
const packages = {
  'aarch64-linux-gnu-gcc': 'gcc-aarch64-linux-gnu and libc6-dev-arm64-cross',
  'x86_64-linux-gnu-gcc': 'gcc-x86-64-linux-gnu and libc6-dev-amd64-cross',
  curl: 'curl',
  fincore: 'util-linux-extra',
  fish: 'fish',
  groff: 'groff',
  mksquashfs: 'squashfs-tools',
  mosquitto: 'mosquitto',
  nginx: 'nginx-light',
  openssl: 'openssl',
  python3: 'python3',
  rauc: 'rauc',
  'systemd-analyze': 'systemd',
  'systemd-sysusers': 'systemd',
  zsh: 'zsh',
} as const;
export type Program = keyof typeof packages;

/** How a reason to skip a test begins where a program is missing: test/run counts these. */
export const missingProgram = 'there is no ';

/** CI has every program, and runs every test: what is missing there is a fault. */
const isDemanded = process.env['POID_DEMAND_PROGRAMS'] === '1';

/** Options of a test that starts these programs: it is skipped where one is missing, and says which. */
export function needs(...programs: readonly Program[]): { readonly skip?: string } {
  const missing = isDemanded ? undefined : programs.find((program) => !isInstalled(program));
  return missing === undefined ? {} : { skip: `${missingProgram}${missing} (Debian: ${packages[missing]})` };
}

function isInstalled(program: Program): boolean {
  return (process.env['PATH'] ?? '').split(path.delimiter).some((dir) => {
    try {
      accessSync(path.join(dir, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

type Body = (t: TestContext) => void | Promise<void>;
interface Tests {
  readonly after: typeof after;
  readonly before: typeof before;
  readonly test: (name: string, ...parameters: [Body] | [TestOptions, Body]) => void;
}

/** For a file whose hooks start these programs for all its tests: each is skipped where one is missing, and no hook runs. */
export function testsThatNeed(...programs: readonly Program[]): Tests {
  const options = needs(...programs);
  if (options.skip === undefined) return { after, before, test: test as Tests['test'] };
  return { after: () => {}, before: () => {}, test: (name, ..._body) => void test(name, options) };
}
