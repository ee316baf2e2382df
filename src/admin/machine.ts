import { spawnSync } from 'node:child_process';
import { readdirSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { readRegularSync } from '../base/secrets/regular-file.ts';

/** The machine's interfaces that the checks use. */
export interface Machine {
  /** Undefined if there is no such file, or if it can't be read; a FIFO or a device can't. */
  read(file: string): string | undefined;
  /** Empty if there is no such directory. */
  list(directory: string): readonly string[];
  /** Standard output of a program; undefined if there is none, or if it failed. */
  run(program: string, ...parameters: string[]): string | undefined;
  /** Bytes of the file system that has this directory. */
  space(directory: string): { readonly free: number; readonly total: number } | undefined;
}

/** A program and its parameters. */
export type Question = readonly [string, ...string[]];

/**
 * A machine with the saved results of these programs, which runs no other: for a process that gives up root's rights.
 * The state directory's owner could control a program that is started afterwards.
 */
export function askBefore(machine: Machine, questions: readonly Question[]): Machine {
  const answers = new Map(questions.map((words) => [words.join(' '), machine.run(...words)]));
  return { ...machine, run: (...words) => answers.get(words.join(' ')) };
}

const programMs = 10_000;

export const thisMachine: Machine = machineAt('/');

/** A machine whose file system is at `root`. */
export function machineAt(root: string): Machine {
  const tryTo = <Result>(act: () => Result): Result | undefined => {
    try {
      return act();
    } catch {
      return undefined;
    }
  };
  return {
    read: (file) => tryTo(() => readRegularSync(path.join(root, file))),
    list: (directory) => tryTo(() => readdirSync(path.join(root, directory))) ?? [],
    run: (program, ...parameters) => {
      const { status, stdout } = spawnSync(program, parameters, { encoding: 'utf8', timeout: programMs });
      return status === 0 ? stdout : undefined;
    },
    space: (directory) =>
      tryTo(() => {
        const { bavail, blocks, bsize } = statfsSync(path.join(root, directory));
        return { free: bavail * bsize, total: blocks * bsize };
      }),
  };
}
