/** What axe, which knows the rules of accessible pages, has against a page. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** What is found is all that is asked for: selectors of elements, and what passes, take longest. */
const options = { resultTypes: ['violations'], selectors: false };

/** The rules of colours, for where nothing but colours is another. */
export const ofColors = { runOnly: ['color-contrast', 'link-in-text-block'] };

/** One line for each finding: the rule and the element. `asked` are options of axe. */
export async function findings(page: Page, asked: object = {}): Promise<string[]> {
  // The page may load no script of others: axe runs beside it, and stays until another is loaded.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const run = `axe.run(document, ${JSON.stringify({ ...options, ...asked })})`;
  const { violations } = (await page.evaluate(run)) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
