import { constants } from 'node:os';

const undoing = new Set<() => void>();
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Has `undo` called also where the process is interrupted before it is called. Returns what is to be called at the end instead. */
export function undone(undo: () => void): () => void {
  if (undoing.size === 0) {
    process.on('exit', undoAll);
    for (const signal of signals) process.on(signal, interrupted);
  }
  undoing.add(undo);
  return () => {
    if (!undoing.delete(undo)) return;
    if (undoing.size === 0) {
      process.off('exit', undoAll);
      for (const signal of signals) process.off(signal, interrupted);
    }
    undo();
  };
}

function interrupted(signal: (typeof signals)[number]): void {
  process.exit(128 + constants.signals[signal]);
}

/** The last first. */
function undoAll(): void {
  for (const undo of [...undoing].toReversed()) {
    try {
      undo();
    } catch (error) {
      console.error(error);
    }
  }
  undoing.clear();
}
