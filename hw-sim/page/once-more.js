/**
 * Runs one at a time. However often it was called meanwhile, it then runs once more, after a pause of `pauseMs()`.
 * @type {(run: () => Promise<void>, pauseMs?: () => number) => () => Promise<void>}
 */
export function onceMore(run, pauseMs = () => 0) {
  let running = false;
  let again = false;
  return async function called() {
    again = true;
    if (running) return;
    running = true;
    while (again) {
      again = false;
      await run();
      if (again) await new Promise((resolve) => setTimeout(resolve, pauseMs()));
    }
    running = false;
  };
}
