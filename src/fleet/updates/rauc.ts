import { isAbsolute } from 'node:path';
import type { BundleFacts, Installer } from './installer.ts';
import { lastLines, runProgram } from './program.ts';

export interface RaucPlaces {
  readonly program: string;
  readonly keyring: string;
  /** RAUC's system.conf. */
  readonly system: string;
}

/** RAUC by its command line (rauc(1), 1.8): 0 is success; why not is on standard error. */
export class Rauc implements Installer {
  readonly #places: RaucPlaces;
  readonly #readText: (file: string) => Promise<string>;

  constructor(places: RaucPlaces, readText: (file: string) => Promise<string>) {
    this.#places = places;
    this.#readText = readText;
  }

  async inspect(file: string): Promise<BundleFacts | string> {
    const { program, keyring } = this.#places;
    // An option of its own would be taken for one of RAUC.
    if (!isAbsolute(file)) return 'the bundle’s path is not absolute';
    const { code, out, said } = await runProgram(program, [
      `--keyring=${keyring}`,
      'info',
      '--output-format=shell',
      file,
    ]);
    if (code !== 0) return `nobody who may sign has signed it, or it can't be read: ${lastLines(said, 2)}`;
    const [compatible, version] = ['COMPATIBLE', 'VERSION'].map(
      (name) => new RegExp(`^RAUC_MF_${name}='([^']{1,255})'$`, 'm').exec(out)?.[1],
    );
    if (compatible === undefined || version === undefined)
      return 'it tells no version, or not which machines it is for';
    return { compatible, version };
  }

  async install(file: string): Promise<string | undefined> {
    const { code, said } = await runProgram(this.#places.program, ['install', file]);
    return code === 0 ? undefined : lastLines(said) || `rauc has ended with ${code}`;
  }

  async compatible(): Promise<string | undefined> {
    const text = await this.#readText(this.#places.system).catch(() => '');
    return /^compatible=(.+)$/m.exec(text)?.[1];
  }
}
