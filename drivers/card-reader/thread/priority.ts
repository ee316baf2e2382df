import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Before everything else that is not as urgent (setpriority(2)); the unit's LimitNICE allows as much. */
const niceValue = -10;

/** Puts this thread alone before others. Returns why it may not, if so. */
export function raisePriority(): string | undefined {
  try {
    // Linux gives each thread a nice value of its own, by its id: proc(5), /proc/thread-self.
    const thread = Number(path.basename(fs.readlinkSync('/proc/thread-self')));
    // A terminal that was started with more keeps it.
    if (os.getPriority(thread) > niceValue) os.setPriority(thread, niceValue);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
