/**
 * One conversation of a published SDK with a server, in a separate process with `QSTASH_URL` and
 * similar variables in its environment: `node conversation.mjs <kind> <folder of the package>`.
 * Prints what was done; if a step fails, prints which one and exits with 1.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const conversations = { qstash, workflow, kafka };
const limitMs = 60_000;
const env = process.env;

const [, , kind, folder] = process.argv;
const timer = setTimeout(() => fail(new Error('nothing came within a minute')), limitMs);
try {
  const sdk = createRequire(join(folder, 'package.json'))(folder);
  process.stdout.write(await conversations[kind](sdk));
  clearTimeout(timer);
  process.exit(0);
} catch (error) {
  fail(error);
}

function fail(error) {
  process.stdout.write(String(error.message).split('\n')[0]);
  process.exit(1);
}

/**
 * Publishes, verifies the signature of the delivery, creates and deletes a schedule, lists dead
 * letters.
 */
async function qstash({ Client, Receiver }) {
  const client = new Client({ baseUrl: env.QSTASH_URL, token: env.QSTASH_TOKEN });
  const receiver = new Receiver({
    currentSigningKey: env.QSTASH_CURRENT_SIGNING_KEY,
    nextSigningKey: env.QSTASH_NEXT_SIGNING_KEY,
  });
  const { url, server } = await endpoint();
  const arrived = once(server, 'request');
  await at('publish', () => client.publishJSON({ url, body: { order: 7 } }));
  await at('verify', async () => {
    const [request, response] = await arrived;
    const body = Buffer.concat(await request.toArray()).toString();
    const signature = request.headers['upstash-signature'];
    if (!(await receiver.verify({ signature, body }))) throw new Error('it is not');
    response.end();
  });
  await at('schedule', async () => {
    const destination = 'https://example.com/hook';
    const { scheduleId } = await client.schedules.create({ destination, cron: '0 0 1 1 *' });
    const { cron } = await client.schedules.get(scheduleId);
    await client.schedules.delete(scheduleId);
    if (cron !== '0 0 1 1 *') throw new Error(`it is ${cron}`);
  });
  await at('dead letters', () => client.dlq.listMessages());
  return 'publish, verify, schedule, dead letters';
}

/** Runs a workflow of two steps with a sleep between them. */
async function workflow({ serve }) {
  const { url, server } = await endpoint();
  const ended = new Promise((resolve) => {
    const { handler } = serve(
      async (context) => {
        const { price } = context.requestPayload;
        const paid = await context.run('charge', () => price * 2);
        await context.sleep('cool down', 1);
        await context.run('thank', () => resolve(paid));
      },
      { url },
    );
    server.on('request', async (request, response) => {
      const { headers } = request;
      const body = Buffer.concat(await request.toArray());
      const answer = await handler(new Request(url, { method: 'POST', headers, body }));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    });
  });
  await at('start', async () => {
    const response = await fetch(`${env.QSTASH_URL}/v2/publish/${url}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${env.QSTASH_TOKEN}`,
        'upstash-workflow-init': 'true',
        'upstash-workflow-sdk-version': '1',
        'upstash-workflow-runid': `wfr_${process.pid}`,
        'upstash-workflow-url': url,
        'upstash-feature-set': 'LazyFetch,InitialBody',
        'upstash-forward-upstash-workflow-sdk-version': '1',
        'upstash-method': 'POST',
        'content-type': 'application/json',
      },
      body: '{"price":10}',
    });
    if (!response.ok) throw new Error(await response.text());
  });
  if ((await ended) !== 20) throw new Error('the second step has not what the first one returned');
  return 'start, step, sleep, step';
}

/** Produces, fetches and consumes a record. */
async function kafka({ Kafka }) {
  const { KAFKA_USERNAME: username, KAFKA_PASSWORD: password } = env;
  const client = new Kafka({ url: env.QSTASH_URL, username, password });
  const topic = `sdk-${process.pid}`;
  const { partition, offset } = await at('produce', () => client.producer().produce(topic, 'hi'));
  const [fetched] = await at('fetch', () => client.consumer().fetch({ topic, partition, offset }));
  const [consumed] = await at('consume', () =>
    client.consumer().consume({
      consumerGroupId: topic,
      instanceId: 'one',
      topics: [topic],
      autoOffsetReset: 'earliest',
    }),
  );
  if (fetched?.value !== 'hi' || consumed?.value !== 'hi') throw new Error('the record is another');
  return 'produce, fetch, consume';
}

async function endpoint() {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, url: `http://127.0.0.1:${server.address().port}/hook` };
}

/** Adds the name of the step to its error. */
async function at(what, act) {
  try {
    return await act();
  } catch (error) {
    throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
