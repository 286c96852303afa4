import { callLog } from '../../support/clients/log-api.js';
import { answered, runClient } from '../../support/program/client-program.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

const run = (...words: string[]) => answered(server, words);

it('topic create, produce, ls, show and delete manage a topic', async () => {
  expect(await run('topic', 'create', 'rides', '--partitions', '2')).toMatchObject([
    { name: 'rides', partitions: 2 },
  ]);
  const stored = await run('topic', 'produce', 'rides', '-d', 'a\nb\nc', '--lines', '--key', 'k');
  expect(stored.map(({ offset }) => offset)).toEqual([0, 1, 2]);
  expect(await run('topic', 'ls')).toMatchObject([{ name: 'rides' }]);
  expect(await run('topic', 'show', 'rides')).toMatchObject([{ name: 'rides' }]);
  await run('topic', 'delete', 'rides');
  expect(await run('topic', 'ls')).toEqual([]);
});

it('consumers seek says what would change, changes it, and delete forgets the group', async () => {
  await run('topic', 'create', 'seats', '--partitions', '1');
  await run('topic', 'produce', 'seats', '-d', 'x');
  const headers = { 'stream-auto-offset-reset': 'earliest' };
  await callLog(server, '/consume/readers/one/seats?timeout=2000', undefined, { headers });
  await callLog(server, '/delete-consumer/readers/one', '');
  const seek = ['consumers', 'seek', 'readers', 'seats', '--to', 'earliest'];
  const moved = [{ topic: 'seats', partition: 0, to: 0 }];
  expect(await run(...seek, '--dry-run')).toMatchObject(moved);
  expect(await run(...seek)).toMatchObject(moved);
  expect(await run('consumers', 'ls')).toMatchObject([{ name: 'readers' }]);
  expect(await run('consumers', 'show', 'readers')).toMatchObject([{ name: 'readers', lag: 1 }]);
  await run('consumers', 'delete', 'readers');
  expect(await run('consumers', 'ls')).toEqual([]);
});

it('cred create, ls and revoke manage a credential', async () => {
  const [made] = await run('cred', 'create', 'phone', '--topic', 'r*', '--permissions', 'produce');
  expect(made).toMatchObject({ name: 'phone', permissions: 'PRODUCE' });
  expect(await run('cred', 'ls')).toMatchObject([{ name: 'phone' }]);
  await run('cred', 'revoke', 'phone');
  expect(await run('cred', 'ls')).toEqual([]);
});

it('token create makes a token that may do what its role says', async () => {
  const [made] = await run(
    'token',
    'create',
    'reader',
    '--role',
    'read',
    '--expires',
    '2099-01-31',
  );
  const reader = { ...server, token: String(made?.['token']) };
  expect(await answered(reader, ['queue', 'ls'])).toEqual([]);
  const { code, stderr } = await runClient(reader, ['queue', 'set', 'q', '--parallelism', '1']);
  expect(code).toBe(77);
  expect(stderr).toContain('stepwell: ');
  expect(await run('token', 'ls')).toMatchObject([{ name: 'reader', role: 'read' }]);
  await run('token', 'revoke', 'reader');
  expect((await runClient(reader, ['queue', 'ls'])).code).toBe(77);
});
