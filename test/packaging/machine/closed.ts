import type { TestContext } from 'node:test';
import type { Container } from './container.ts';

/** Looks from now on whether a sale could begin. The function that ends this returns the longest time, in seconds, that none could. */
export function watchClosed(t: TestContext, container: Container): () => Promise<number> {
  const over = new AbortController();
  t.after(() => over.abort());
  let [open, longestMs] = [performance.now(), 0];
  const watched = (async () => {
    while (!over.signal.aborted) {
      const { said } = await container.run('curl -s -m 1 http://127.0.0.1:8080/sp/v1/status');
      if (!said.includes('"ready":true')) continue;
      longestMs = Math.max(longestMs, performance.now() - open);
      open = performance.now();
    }
  })();
  return async () => {
    over.abort();
    await watched;
    return longestMs / 1_000;
  };
}
