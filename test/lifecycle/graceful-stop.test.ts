import { request } from 'undici';
import { startServer } from '../support/server.js';

test('a request in flight is answered before the doors are shut', async () => {
  const server = await startServer();
  let release = (): void => undefined;
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrive = (): void => undefined;
  const hasArrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const { life, nest } = server.application;
  // Routes cannot be added to a server that listens: an answer is held back on its way out.
  nest.getHttpServer().prependOnceListener('request', (_incoming, outgoing) => {
    const end = outgoing.end.bind(outgoing);
    outgoing.end = (...args: Parameters<typeof end>) => {
      arrive();
      isReleased.then(() => end(...args));
      return outgoing;
    };
  });
  const answer = request(`${server.url}/health/live`);
  await hasArrived;
  const stopped = server.stop();
  expect(life.status.state).toBe('draining');
  release();
  expect((await answer).statusCode).toBe(200);
  expect(await stopped).toBe(true);
  await expect(request(`${server.url}/health/live`)).rejects.toThrow('ECONNREFUSED');
  await server.remove();
});

test('a server that refuses writes is alive but not ready', async () => {
  const server = await startServer();
  server.application.life.refuseWrites('no room');
  const { statusCode, body } = await request(`${server.url}/health/ready`);
  expect(statusCode).toBe(503);
  expect(await body.json()).toEqual({ state: 'readOnly', reason: 'no room' });
  expect((await request(`${server.url}/health/live`)).statusCode).toBe(200);
  await server.remove();
});

test('a second server can be started on the folder of the first', async () => {
  const first = await startServer();
  await first.stop();
  const second = await startServer({ dataDirectory: first.dataDirectory });
  expect(second.token).toBe(first.token);
  await second.remove();
});
