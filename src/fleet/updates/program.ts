import { execFile } from 'node:child_process';

export interface Ended {
  readonly code: number;
  /** Standard output. */
  readonly out: string;
  /** Both outputs, for a user. */
  readonly said: string;
}

const outputBytesMax = 1_048_576;

/** Runs a program to its end. A program that can't be run, or is ended by a signal, has code -1. */
export function runProgram(file: string, parameters: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { maxBuffer: outputBytesMax, env: { ...process.env, LC_ALL: 'C' } };
    execFile(file, parameters, options, (error, out, err) => {
      const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
      const why = error && code === -1 ? `${error.message}\n` : '';
      resolve({ code, out, said: `${why}${err}${out}`.trim() });
    });
  });
}

/** The last lines, for the report of a failure. */
export function lastLines(text: string, count = 5): string {
  return text.split('\n').slice(-count).join('\n');
}
