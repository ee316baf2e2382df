/** The contents of a bundle's manifest, once its signature is checked. */
export interface BundleFacts {
  readonly compatible: string;
  readonly version: string;
}

/** Installs a bundle into the slot that does not run. Every method resolves, whatever the program beneath does. */
export interface Installer {
  /** Checks the signature. Resolves with a sentence if the bundle can't be used. */
  inspect(file: string): Promise<BundleFacts | string>;
  /** Writes the other slot, and has the boot loader take it next. Resolves with why not, or undefined. */
  install(file: string): Promise<string | undefined>;
  /** The kind of machine whose bundles this one accepts; undefined if unknown. */
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
  /** Restarts the machine after an orderly end of its services. Rejects if it can't be restarted. */
  restart(): Promise<void>;
}
