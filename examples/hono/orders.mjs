/** Messages and a workflow in an application of Hono, with the published SDKs. */
import { serve as listen } from '@hono/node-server';
import { Client, Receiver } from '@upstash/qstash';
import { Client as WorkflowClient } from '@upstash/workflow';
import { serve } from '@upstash/workflow/hono';
import { Hono } from 'hono';

const { QSTASH_URL, QSTASH_TOKEN } = process.env;
const app = new Hono();

const receiver = new Receiver();
app.post('/orders', async (context) => {
  const body = await context.req.text();
  const signature = context.req.header('upstash-signature') ?? '';
  const isOurs = await receiver.verify({ signature, body }).catch(() => false);
  if (!isOurs) return context.body(null, 401);
  process.stdout.write(`paid order ${JSON.parse(body).order}\n`);
  return context.body(null);
});

app.post(
  '/shipping',
  serve(
    async (context) => {
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
    },
    // On Node.js Hono does not pass the environment on by itself.
    { env: process.env },
  ),
);

const server = listen({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, async ({ port }) => {
  const own = `http://127.0.0.1:${port}`;
  const client = new Client({ baseUrl: QSTASH_URL, token: QSTASH_TOKEN });
  const { messageId } = await client.publishJSON({ url: `${own}/orders`, body: { order: 7 } });
  process.stdout.write(`published ${messageId}\n`);

  const workflows = new WorkflowClient({ baseUrl: QSTASH_URL, token: QSTASH_TOKEN });
  await workflows.trigger({ url: `${own}/shipping`, body: { order: 7 } });
  // An event is for those who wait: it is sent until there is one.
  while ((await workflows.notify({ eventId: 'picked-up-7', eventData: { van: 2 } })).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 200));
});
