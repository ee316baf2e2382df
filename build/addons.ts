import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The machines that a terminal may be, as Node names them. */
export const machines = ['x64', 'arm64'] as const;
export type Machine = (typeof machines)[number];

/** A build that can't be made, in a sentence. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
}

/** GNU's name of each machine, and e_machine of its ELF files (elf(5): EM_X86_64, EM_AARCH64). */
const described = {
  x64: { triplet: 'x86_64-linux-gnu', elf: 62 },
  arm64: { triplet: 'aarch64-linux-gnu', elf: 183 },
} as const satisfies Record<Machine, object>;

/** What the packages load on a terminal of that machine, with glibc. */
function packagedAddons(machine: Machine): string[] {
  const serialport = { x64: 'glibc', arm64: 'armv8.glibc' }[machine];
  return [
    `@serialport/bindings-cpp/prebuilds/linux-${machine}/@serialport+bindings-cpp.${serialport}.node`,
    `node-hid/prebuilds/HID-linux-${machine}/node-napi-v4.node`,
    `node-hid/prebuilds/HID_hidraw-linux-${machine}/node-napi-v4.node`,
  ];
}

/** The daemon's own addons, each of a source of this name in src/observability. */
export const ownAddons = ['sd-notify', 'spare-memory'] as const;
type OwnAddon = (typeof ownAddons)[number];

/**
 * Compiles one of the daemon's own addons. The headers are those of the pinned runtime, so nothing is fetched. Same sources, same compiler, same
 * bytes. Rejects with BuildError.
 */
export async function compileAddon(
  name: OwnAddon,
  file: string,
  machine: Machine,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const own = machine === process.arch;
  const compiler = (own ? env['CC'] : env['CROSS_CC']) ?? (own ? 'cc' : `${described[machine].triplet}-gcc`);
  const packages = machines.map((each) => path.join(root, `node_modules/node-linux-${each}/include/node`));
  const headers = packages.find((each) => existsSync(path.join(each, 'node_api.h')));
  if (headers === undefined) throw new BuildError('the headers of the runtime are missing: `npm ci` installs them');
  const strict = ['-std=c11', '-Wall', '-Wextra', '-Werror', '-O2', '-fPIC', '-fvisibility=hidden'];
  const linked = ['-shared', '-s', '-Wl,-z,relro,-z,now', '-Wl,--build-id=none', '-I', headers, '-o', file];
  const source = path.join(root, `src/observability/${name}.c`);
  await promisify(execFile)(compiler, [...strict, ...linked, source], { env }).catch((error: NodeJS.ErrnoException) => {
    const variable = own ? 'CC' : 'CROSS_CC';
    if (error.code !== 'ENOENT') throw new BuildError(`${compiler} can't compile for ${machine}: ${error.message}`);
    throw new BuildError(`there is no C compiler for ${machine}: ${compiler} is missing (${variable} names another)`);
  });
  await checkMachine(file, machine);
}

/** Rejects with BuildError where `modules` lacks an addon for that machine: npm leaves out silently what a registry lacks. */
export async function checkPackagedAddons(modules: string, machine: Machine): Promise<void> {
  for (const addon of packagedAddons(machine)) await checkMachine(path.join(modules, addon), machine);
}

async function checkMachine(file: string, machine: Machine): Promise<void> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw new BuildError(`the build for ${machine} lacks ${file} (${error.code})`);
  });
  try {
    const header = Buffer.alloc(20);
    const { bytesRead } = await handle.read(header, 0, header.length, 0);
    const isElf = bytesRead === header.length && header.toString('latin1', 0, 4) === '\x7fELF';
    if (isElf && header.readUInt16LE(18) === described[machine].elf) return;
    throw new BuildError(`${file} is no addon for ${machine}`);
  } finally {
    await handle.close();
  }
}
