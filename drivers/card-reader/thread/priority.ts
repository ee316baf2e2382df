import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Nice value of the thread (setpriority(2)); the unit's LimitNICE allows it. */
const niceValue = -10;

/** Raises the priority of this thread only. Returns the reason if the system refuses. */
export function raisePriority(): string | undefined {
  try {
    // Linux gives each thread a nice value of its own, by its id: proc(5), /proc/thread-self.
    const thread = Number(path.basename(fs.readlinkSync('/proc/thread-self')));
    // A terminal that was started with a higher priority keeps it.
    if (os.getPriority(thread) > niceValue) os.setPriority(thread, niceValue);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
