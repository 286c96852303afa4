/** Messages and a workflow in an application of Express, with the published SDKs. */
import { Client, Receiver } from '@upstash/qstash';
import { Client as WorkflowClient } from '@upstash/workflow';
import { serve } from '@upstash/workflow/express';
import express from 'express';

const { QSTASH_URL, QSTASH_TOKEN } = process.env;
const app = express();

// A signature is of the bytes as they came: this route reads them itself.
const receiver = new Receiver();
app.post('/orders', express.text({ type: '*/*' }), async (request, response) => {
  const signature = request.get('upstash-signature') ?? '';
  const isOurs = await receiver.verify({ signature, body: request.body }).catch(() => false);
  if (!isOurs) return response.status(401).end();
  const { order } = JSON.parse(request.body);
  process.stdout.write(`paid order ${order}\n`);
  response.end();
});

app.use(
  '/shipping',
  express.json(),
  serve(async (context) => {
    const { order } = context.requestPayload;
    const label = await context.run('label', () => `P-${order}`);
    await context.sleep('pack', 1);
    const { eventData } = await context.waitForEvent('picked up?', `picked-up-${order}`, {
      timeout: '1h',
    });
    await context.run('tell', () =>
      process.stdout.write(`shipped ${label} with ${eventData.van}\n`),
    );
    server.close();
  }),
);

const server = app.listen(0, '127.0.0.1', async () => {
  const own = `http://127.0.0.1:${server.address().port}`;
  const client = new Client({ baseUrl: QSTASH_URL, token: QSTASH_TOKEN });
  const { messageId } = await client.publishJSON({ url: `${own}/orders`, body: { order: 7 } });
  process.stdout.write(`published ${messageId}\n`);

  const workflows = new WorkflowClient({ baseUrl: QSTASH_URL, token: QSTASH_TOKEN });
  await workflows.trigger({ url: `${own}/shipping`, body: { order: 7 } });
  // An event is for those who wait: it is sent until there is one.
  while ((await workflows.notify({ eventId: 'picked-up-7', eventData: { van: 2 } })).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 200));
});
