import { callLog } from '../../support/clients/log-api.js';
import { readersWait } from '../../support/clients/log-waits.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

const call = (path: string, body: object) => callLog(server, path, body);

const hour = 3_600_000;

it('a fetch from a time that is to come passes over the records of earlier times', async () => {
  const now = Date.now();
  const produced = { topic: 'future', partition: 0 };
  await call('/produce', { ...produced, value: 'past', timestamp: now });
  const waiting = call('/fetch', { ...produced, timestamp: now + hour, timeout: 60_000 });
  await readersWait(server, 'future', 0, 1);
  await call('/produce', { ...produced, value: 'early', timestamp: now + 1 });
  await readersWait(server, 'future', 0, 1);
  await call('/produce', { ...produced, value: 'due', timestamp: now + hour });
  expect((await waiting).body).toMatchObject([{ offset: 2, value: 'due' }]);
});

it('a fetch with a reset is not refused when its place is removed', async () => {
  const produced = { topic: 'purged', partition: 0 };
  const value = 'x'.repeat(1000);
  await call('/produce', { ...produced, value });
  let isOver = false;
  const statuses = new Set<number>();
  const readers = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const place = { ...produced, offset: 0, offsetReset: 'earliest', timeout: 5 };
      statuses.add((await call('/fetch', place)).status);
    }
  });
  for (let rounds = 0; rounds < 60; rounds += 1) {
    await call('/produce/purged', [
      { partition: 0, value },
      { partition: 0, value },
    ]);
    const purged = await fetch(`${server.url}/admin/topics/purged/purge`, {
      method: 'POST',
      headers: { authorization: server.basic },
      body: JSON.stringify({ partition: 0, before: 3 + 2 * rounds }),
    });
    expect(purged.status).toBe(200);
  }
  isOver = true;
  await Promise.all(readers);
  expect([...statuses]).toEqual([200]);
});
