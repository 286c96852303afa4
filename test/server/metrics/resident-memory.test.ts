import { request } from 'undici';
import { startServer } from '../../support/server.js';

afterEach(() => jest.restoreAllMocks());

test('metrics are available when no file can be opened, with the last known memory', async () => {
  const server = await startServer();
  const resident = async () => {
    const { statusCode, body } = await request(`${server.url}/metrics`);
    const text = await body.text();
    return [statusCode, /^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1]];
  };
  const [, before] = await resident();
  jest.spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  });
  const found = await resident();
  await server.remove();
  expect(Number(before)).toBeGreaterThan(0);
  expect(found).toEqual([200, expect.stringMatching(/^\d+$/)]);
  expect(Number(found[1])).toBeGreaterThan(0);
});
