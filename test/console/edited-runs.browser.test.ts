import { findings } from '../support/console/axe.js';
import { browserLimitMs, describeInChromium } from '../support/console/chromium.js';
import { visitsInChromium } from '../support/console/visits.js';
import { FailedRunStage } from '../support/workflows/failed-run-stage.js';

/** One more than the server resumes in one request. */
const many = 51;

describeInChromium('a failed run in a browser', () => {
  const visits = visitsInChromium();
  let stage: FailedRunStage;

  beforeAll(async () => {
    stage = await FailedRunStage.start('edited');
    stage.workflow.script = stage.sequence('price', 'charge');
  }, browserLimitMs);

  afterAll(async () => {
    await stage.end();
  }, browserLimitMs);

  it(
    'can be resumed with another result, which the page of the new run shows',
    async () => {
      stage.broken.add('charge');
      const { workflowRunId } = await stage.fail();
      stage.broken.clear();
      const path = `/workflows/${workflowRunId}`;
      const page = await visits.signedIn(stage.server, path);
      await page.getByRole('button', { name: 'Resume edited…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Resume with another result' });
      const result = dialog.getByLabel('Result');
      await result.waitFor();
      expect(await result.inputValue()).toBe('"price is done"');
      await result.fill('twelve');
      await dialog.getByRole('button', { name: 'Resume' }).click();
      await dialog.getByText('This is not JSON').waitFor();
      expect(await findings(page)).toEqual([]);
      await result.fill('{"price": 12345678901234567890}');
      await dialog.getByRole('button', { name: 'Resume' }).click();
      await page.waitForURL((url) => !url.pathname.endsWith(workflowRunId));
      await page.getByText('Replaced results').waitFor();
      const runId = decodeURIComponent(page.url().split('/').at(-1) ?? '');
      await stage.ended(runId);
      const [first] = stage.workflow.deliveriesOf(runId, 'step');
      expect(first?.steps.map(({ out }) => out)).toEqual(['{"price": 12345678901234567890}']);
    },
    browserLimitMs,
  );

  it(
    'is resumed like all that were chosen, also if there are more than one request takes',
    async () => {
      stage.broken.add('charge');
      await Promise.all(Array.from({ length: many }, () => stage.fail()));
      stage.broken.clear();
      // High enough to draw all rows.
      const context = { viewport: { width: 1280, height: 3000 } };
      const path = '/dead-letters?of=runs';
      const page = await visits.signedIn(stage.server, path, stage.server.token, context);
      const boxes = page.getByRole('checkbox');
      await boxes.nth(many - 1).waitFor();
      for (const box of await boxes.all()) await box.check();
      await page.getByText(`${many} chosen`).waitFor();
      await page.getByRole('button', { name: 'Resume chosen' }).click();
      await page.getByText('No failed runs').waitFor();
      expect((await stage.list()).messages).toEqual([]);
    },
    browserLimitMs,
  );

  it(
    'gives the command for one like it, with its whole payload and all labels',
    async () => {
      stage.broken.add('charge');
      const payload = 'a long payload '.repeat(50);
      const { workflowRunId } = await stage.fail({ 'svc-label': 'one, two' }, payload);
      const page = await visits.signedIn(stage.server, `/workflows/${workflowRunId}`);
      await page.getByRole('button', { name: 'As curl' }).click();
      const command = page.getByRole('dialog').locator('pre').filter({ hasText: '/v2/trigger/' });
      await command.waitFor();
      const text = await command.textContent();
      expect(text).toContain(`--data-raw '${payload}'`);
      expect(text).toContain("-H 'Svc-Label: one, two'");
      await page.keyboard.press('Escape');
    },
    browserLimitMs,
  );
});
