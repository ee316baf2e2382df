import { readSecret, writeSecret } from '../../base/secrets/secret-file.ts';
import { type UpdateState, updateState } from './action.ts';

/** The action in progress, stored over a restart and a power cut. */
export interface ActionStore {
  read(): Promise<UpdateState>;
  /** Resolves once it survives a power cut. */
  write(state: UpdateState): Promise<void>;
}

export class StateFile implements ActionStore {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** An unreadable file counts as empty: hawkBit offers the action again. */
  async read(): Promise<UpdateState> {
    const text = await readSecret(this.#file);
    const parsed = updateState.safeParse(parse(text));
    return parsed.success ? parsed.data : { version: 1 };
  }

  write(state: UpdateState): Promise<void> {
    return writeSecret(this.#file, JSON.stringify(state));
  }
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '') as unknown;
  } catch {
    return undefined;
  }
}
