interface Asking {
  readonly running: Promise<unknown>;
  /** Begins after the running one, for all who came since that began. */
  next?: Promise<unknown>;
}

const asking = new WeakMap<object, Asking>();

/**
 * What `ask` resolves to, or nothing where that takes longer. Whom one has asked is asked once more at most meanwhile, whoever else wants to
 * know: what hangs is not given more and more to do. Each answer is of a question that began after its caller came.
 */
export async function answerWithin<T>(whom: object, ms: number, ask: () => Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), ms);
  try {
    return await Promise.race([askInTurn(whom, ask), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function askInTurn<T>(whom: object, ask: () => Promise<T>): Promise<T> {
  const before = asking.get(whom);
  if (!before) return begin(whom, ask);
  const start = () => begin(whom, ask);
  before.next ??= before.running.then(start, start);
  return before.next as Promise<T>;
}

function begin<T>(whom: object, ask: () => Promise<T>): Promise<T> {
  const running = ask().finally(() => {
    if (asking.get(whom) === mine && !mine.next) asking.delete(whom);
  });
  const mine: Asking = { running };
  asking.set(whom, mine);
  // Whoever wanted to know has given up by then.
  running.catch(() => undefined);
  return running;
}
