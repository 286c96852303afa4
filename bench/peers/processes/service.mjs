/**
 * What is the same for every queue behind Fastify: an HTTP service that takes messages, one or a
 * hundred at a time, and posts each of them to its destination when the queue says so.
 */
import Fastify from 'fastify';
import { Agent } from 'undici';

/** @typedef {{ url: string, body: string }} Message */

/** What the bench said at the start, as JSON; `serviceSettings` in `service.ts`. */
export const settings = JSON.parse(process.argv[2] ?? '{}');

const agent = new Agent({ connections: settings.parallelism });

/** Posts a message; rejects unless it is answered with a 2xx. @param {Message} message */
export async function deliver({ url, body }) {
  const { origin, pathname: path } = new URL(url);
  const headers = { 'content-type': 'text/plain' };
  const answer = await agent.request({ origin, path, method: 'POST', headers, body });
  await answer.body.dump();
  if (Math.floor(answer.statusCode / 100) !== 2) throw new Error(`${url}: ${answer.statusCode}`);
}

/**
 * Serves `POST /publish` and `POST /batch`, and says where.
 *
 * @param {(messages: Message[], delaySeconds: number) => Promise<string[]>} add stores them; gives
 *   their ids
 */
export async function serve(add) {
  const app = Fastify({ bodyLimit: 16 * 1024 * 1024, keepAliveTimeout: 65_000 });
  const delayOf = (request) => Number(request.headers['x-delay-seconds']);
  app.post('/publish', async (request) => {
    const message = { url: request.headers['x-destination'], body: request.body };
    const [id] = await add([message], delayOf(request));
    return { id };
  });
  app.post('/batch', async (request) => ({ ids: await add(request.body, delayOf(request)) }));
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  process.stdout.write(`running at ${address}\n`);
  process.once('disconnect', () => process.exit());
}
