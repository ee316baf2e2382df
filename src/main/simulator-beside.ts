/** The simulator beside a terminal, as `poid run --sim` passes it to the terminal's process in its environment. */
export interface SimulatorBeside {
  readonly port: number;
  /** Path of the daemon's configuration, with the simulated devices and hosts. */
  readonly configuration: string;
  /** The simulated card reader and its wire, as text. */
  readonly reader: string;
}

const variable = 'POID_SIMULATOR';

/** Undefined in every other process, also in the one that switches the terminal's power. */
export function simulatorBeside(env: NodeJS.ProcessEnv): SimulatorBeside | undefined {
  const text = env[variable];
  return text === undefined ? undefined : (JSON.parse(text) as SimulatorBeside);
}

export function environmentBeside({ port, configuration, reader }: SimulatorBeside): NodeJS.ProcessEnv {
  return { ...process.env, [variable]: JSON.stringify({ port, configuration, reader }) };
}

/** Origins of its page, which shows the terminal's screen. */
export function originsOf({ port }: SimulatorBeside): readonly string[] {
  return [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
}
