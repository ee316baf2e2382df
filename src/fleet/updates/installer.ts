/** What a bundle says of itself, once its signature is checked. */
export interface BundleFacts {
  readonly compatible: string;
  readonly version: string;
}

/** Installs a bundle into the slot that does not run. Every method resolves, whatever the program beneath does. */
export interface Installer {
  /** Checks who has signed it. Resolves with a sentence where it can't be taken. */
  inspect(file: string): Promise<BundleFacts | string>;
  /** Writes the other slot, and has the boot loader take it next. Resolves with why not, or undefined. */
  install(file: string): Promise<string | undefined>;
  /** Which machines' bundles this one takes; undefined where it can't be told. */
  compatible(): Promise<string | undefined>;
}

/** good: the version that runs is kept. failed: it will be left. */
export type Verdict = 'good' | 'undecided' | 'failed';

export interface RunningVersion {
  readonly version: string;
  /** A or B. */
  readonly slot: string;
  /** Another one after each start of the machine. */
  readonly bootId: string;
}

/** The machine that the terminal runs on. */
export interface Machine {
  running(): Promise<RunningVersion>;
  /** Of the health check, about the version that runs. */
  verdict(): Promise<Verdict>;
  isOlder(version: string, than: string): Promise<boolean>;
  /** Starts the machine anew; services end in order. Rejects where nobody does it. */
  restart(): Promise<void>;
}
