import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { systemClock } from '../../../src/engine/clock.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { killedAtLast } from '../../support/leftovers.js';
import { onTerminal } from '../../support/program/on-terminal.js';
import { program } from '../../support/program/program.js';
import { itWithShell } from '../../support/program/shells.js';
import { startServer, type TestServer } from '../../support/server.js';

const hour = 3_600_000;
let endpoint: RecordingEndpoint;

beforeAll(async () => {
  endpoint = await RecordingEndpoint.start();
});
afterAll(() => endpoint.stop());

describe.each([72 * hour, -hour])('a server whose clock is %d ms ahead', (msAhead) => {
  let server: TestServer;

  beforeAll(async () => {
    const clock = { ...systemClock, now: () => systemClock.now() + msAhead };
    server = await startServer({ ports: { clock } });
  });
  afterAll(() => server.remove());

  it('dates its answers by its clock, on every lane', async () => {
    for (const path of ['/health/live', '/v2/queues', '/v2/logs', '/console', '/nowhere']) {
      const headers = { authorization: `Bearer ${server.token}` };
      const { headers: answered } = await fetch(`${server.url}${path}`, { headers });
      const apart = Date.parse(answered.get('date') ?? '') - systemClock.now() - msAhead;
      expect([path, Math.abs(apart) < 10_000]).toEqual([path, true]);
    }
  });

  itWithShell('script', 'shows times on a terminal against it', async () => {
    const publish = `/v2/publish/${endpoint.url}`;
    await callApi(server, 'POST', publish, { 'svc-delay': '5h', 'svc-label': 'shown' });
    const environment = {
      NO_COLOR: '1',
      STEPWELL_URL: server.url,
      STEPWELL_TOKEN: server.token,
    };
    const { text } = await onTerminal(['msg', 'ls', '--label', 'shown'], environment);
    expect(text).toMatch(/ delayed +(now|\d+s ago) .* in (5h|4h 59m)/);
  });

  it('is followed from its current time by tail', async () => {
    const publish = async () => {
      const headers = { 'svc-label': 'followed' };
      const { body } = await callApi(server, 'POST', `/v2/publish/${endpoint.url}`, headers);
      return (body as { messageId: string }).messageId;
    };
    const before = await publish();
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const tail = killedAtLast(
      spawn(process.execPath, [program, 'tail', '--label', 'followed'], {
        env: { PATH: process.env['PATH'], STEPWELL_URL: server.url, STEPWELL_TOKEN: server.token },
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    const lines = createInterface({ input: tail.stdout })[Symbol.asyncIterator]();
    let row: { messageId: string } | undefined;
    void lines.next().then(({ value }) => {
      row = JSON.parse(value);
    });
    while (row === undefined) {
      await publish();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(row.messageId).not.toBe(before);
    tail.kill();
    await once(tail, 'exit');
  });
});
