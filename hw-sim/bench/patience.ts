/** An object that reports its changes. */
export interface Changing {
  onChange(listener: () => void): () => void;
}

/**
 * Tries `act` now and after every change, until it succeeds or `waitMs` are over. So a call may come a moment before
 * the terminal asks for it.
 */
export async function patiently(
  changing: Changing,
  waitMs: number,
  act: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  let trying = false;
  let again = false;
  const attempt = async (): Promise<void> => {
    again = true;
    if (trying) return;
    trying = true;
    try {
      while (again) {
        again = false;
        if (await act()) return resolve(true);
      }
    } finally {
      trying = false;
    }
  };
  const tried = () => void attempt().catch(reject);
  const stop = changing.onChange(tried);
  const timer = setTimeout(() => resolve(false), waitMs);
  tried();
  return promise.finally(() => {
    stop();
    clearTimeout(timer);
  });
}
