import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The rules of axe-core that the page breaks now, each with the elements that break it. */
export async function axeViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe.source);
  const broken = (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => ({ id, at: nodes.map(({ target }) => target.join(' ')) })))`)) as {
    readonly id: string;
    readonly at: readonly string[];
  }[];
  return broken.map(({ id, at }) => `${id}: ${at.join(', ')}`);
}
