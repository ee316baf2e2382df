/** Interval at which a child of npm checks whether npm was killed. */
const parentLookMs = 500;

/** Resolves with the first signal, which requests an orderly end. A second signal ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const parent = process.ppid;
    // A process started by npm has no owner once npm was killed. Any other process may outlive the shell that started
    // it.
    const byNpm = process.env['npm_lifecycle_event'] !== undefined;
    let look: NodeJS.Timeout | undefined;
    const stop = () => {
      clearInterval(look);
      process.off('SIGTERM', stop);
      process.off('SIGINT', stop);
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    if (byNpm) look = setInterval(() => process.ppid !== parent && stop(), parentLookMs).unref();
  });
}

/**
 * The same for the terminal of `poid run --sim`: the process that switches its power decides when it ends. Ctrl-C
 * reaches the whole process group, so that process receives it too.
 */
export function stopWithParent(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => undefined);
    const stop = () => {
      process.off('SIGTERM', stop);
      process.off('disconnect', stop);
      // If the parent is killed meanwhile, this process ends at once. Waiting for that does not keep it alive.
      process.on('disconnect', () => process.exit(1));
      process.channel?.unref();
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('disconnect', stop);
  });
}
