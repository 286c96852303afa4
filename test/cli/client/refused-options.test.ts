/** Options that are refused before a request is sent, as they would not do what was meant. */
import { runClient } from '../../support/program/client-program.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

it.each([
  ['tail --state nonsense', 'Allowed choices are created, active, retry, error,'],
  ['tail --state run_failed', 'only a run has rows of run_failed: name it with --run'],
  ['cred create x --topic t --permissions WRITE', 'Allowed choices are PRODUCE, CONSUME, ALL.'],
  ['msg publish https://example.com --method FETCH', 'Allowed choices are GET, POST, PUT, PATCH,'],
  ['dlq ls --by status', 'Allowed choices are error.'],
  ['dlq delete 1-1 --label old', 'filters need --all; give either ids or filters'],
  ['dlq retry 1-1 --since 2026-11-20', 'filters need --all; give either ids or filters'],
  ['group add g https://a.example https://b.example --name one', '--name is for one endpoint'],
  ['topic produce t one -d other', 'the value is given twice, once with -d'],
])('%s is refused with 64', async (words, said) => {
  const { code, stdout, stderr } = await runClient(server, words.split(' '));
  expect(stderr).toContain(said);
  expect([code, stdout]).toEqual([64, '']);
});

it('a zone is refused with 64 if the cron expression has one', async () => {
  const cron = ['--cron', 'CRON_TZ=Europe/Berlin 0 9 * * *', '--zone', 'UTC'];
  const words = ['sched', 'create', 'https://example.com', ...cron];
  const { code, stderr } = await runClient(server, words);
  expect(stderr).toContain('--cron already names a zone; give only one of them');
  expect(code).toBe(64);
});

it('a word of a closed set is accepted in upper or lower case', async () => {
  const words = ['msg', 'publish', 'https://example.com', '--method', 'put', '--delay', '1h'];
  expect(await runClient(server, words)).toMatchObject({ code: 0 });
});
