import type { Machine, RunningVersion, Verdict } from './installer.ts';
import { lastLines, runProgram } from './program.ts';

/** Files that describe the image (image/files). */
export interface ImagePlaces {
  readonly version: string;
  readonly commandLine: string;
  readonly bootId: string;
  readonly systemctl: string;
  readonly dpkg: string;
}

export const imagePlaces: ImagePlaces = {
  version: '/usr/lib/poid-image/version',
  commandLine: '/proc/cmdline',
  bootId: '/proc/sys/kernel/random/boot_id',
  systemctl: 'systemctl',
  dpkg: 'dpkg',
};

/**
 * A machine that was flashed with an image: two slots, and poid-healthy.service, which judges the version that runs.
 */
export class ImageMachine implements Machine {
  readonly #places: ImagePlaces;
  readonly #readText: (file: string) => Promise<string>;

  constructor(places: ImagePlaces, readText: (file: string) => Promise<string>) {
    this.#places = places;
    this.#readText = readText;
  }

  /** Rejects if the machine has no image. */
  async running(): Promise<RunningVersion> {
    const { version, commandLine, bootId } = this.#places;
    const texts = await Promise.all([version, commandLine, bootId].map((file) => this.#readText(file)));
    const [running = '', words = '', boot = ''] = texts.map((text) => text.trim());
    const slot = /(?:^|\s)rauc\.slot=([AB])(?:\s|$)/.exec(words)?.[1];
    if (slot === undefined) throw new Error('the machine has not started from a slot');
    return { version: running, slot, bootId: boot };
  }

  /** The unit stays active once it has found the version good (RemainAfterExit=). */
  async verdict(): Promise<Verdict> {
    const words = ['show', '--value', '--property=ActiveState', 'poid-healthy.service'];
    const { out } = await runProgram(this.#places.systemctl, words);
    const state = out.trim();
    if (state === 'active') return 'good';
    return state === 'failed' ? 'failed' : 'undecided';
  }

  async isOlder(version: string, than: string): Promise<boolean> {
    return (await runProgram(this.#places.dpkg, ['--compare-versions', version, 'lt', than])).code === 0;
  }

  async restart(): Promise<void> {
    const { code, said } = await runProgram(this.#places.systemctl, ['--no-block', 'reboot']);
    if (code !== 0) throw new Error(`the machine does not start anew: ${lastLines(said, 1)}`);
  }
}
