import { callApi } from '../../support/clients/api-call.js';
import { callLog } from '../../support/clients/log-api.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { browserLimitMs, describeInChromium } from '../../support/console/chromium.js';
import { visitsInChromium } from '../../support/console/visits.js';
import { startServer, type TestServer } from '../../support/server.js';

describeInChromium('the palette in a browser', () => {
  const visits = visitsInChromium();
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer();
  }, browserLimitMs);

  afterAll(() => server.remove(), browserLimitMs);

  it(
    'leads to what has the typed name or id, and first of all to a page',
    async () => {
      const endpoint = await RecordingEndpoint.start(() => ({ status: 500 }));
      const letter = { 'svc-retries': '0' };
      await callApi(server, 'POST', `/v2/publish/${endpoint.url}`, letter, 'x');
      let letters: readonly { dlqId: string; messageId: string }[] = [];
      while (letters.length === 0) {
        await endpoint.received(1);
        const { body } = await callApi(server, 'GET', '/v2/dlq');
        letters = (body as { messages: typeof letters }).messages;
      }
      await endpoint.stop();
      await callLog(server, '/produce/rides', { value: 'hello' });
      const page = await visits.signedIn(server, '/messages');
      const goTo = async (typed: string, name?: string) => {
        await page.keyboard.press('Control+k');
        await page.getByPlaceholder(/A page, or the id/).fill(typed);
        if (name === undefined) await page.keyboard.press('Enter');
        else await page.getByRole('option', { name }).click();
      };
      await goTo('rides', 'The topic rides');
      await page.waitForURL('**/topics/rides');
      await goTo('mails', 'Messages of queue mails');
      await page.waitForURL('**/messages?queueName=mails');
      await goTo('sched');
      await page.waitForURL('**/schedules');
      const [{ dlqId, messageId } = { dlqId: '', messageId: '' }] = letters;
      await goTo(dlqId, `The message ${messageId}`);
      await page.waitForURL(`**/messages/${messageId}`);
    },
    browserLimitMs,
  );
});
