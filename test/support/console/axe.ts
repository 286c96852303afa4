/** What axe, which knows the rules of accessible pages, has against a page. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** One line for each finding: the rule and the element. */
export async function findings(page: Page): Promise<string[]> {
  // The page may load no script of others: axe runs beside it, and stays until another is loaded.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run(document)')) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
