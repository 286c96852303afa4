import { request } from 'undici';
import { verifyFolder } from '../../../src/cli/journal/journal-verify.js';
import { readKeptHead } from '../../../src/cli/journal/kept-head.js';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { readChainHead } from '../../../storage/verify/chain-head.js';
import { forgeStore } from '../../storage/forged-store.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import {
  publishDelivered,
  repeatMoreSlowly,
  sweptRecords,
} from '../../support/clients/swept-messages.js';
import { ManualClock } from '../../support/manual-clock.js';
import { startServer, type TestServer } from '../../support/server.js';

const ports = { fileSizes: { segmentBytes: 64 * 1024, reserveBytes: 0 } };
const environment = { STEPWELL_JOURNAL_RETENTION: 'sweep', STEPWELL_LOG_RETENTION: '1s' };
const quiet = () => undefined;
const delayed = { 'svc-delay': '100d' };

let server: TestServer;
let endpoint: RecordingEndpoint;

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
  server = await startServer({ environment, ports });
});

afterEach(async () => {
  await endpoint.stop();
  await server.remove();
});

async function metric(pattern: RegExp): Promise<string[]> {
  const text = await (await request(`${server.url}/metrics`)).body.text();
  return [...text.matchAll(pattern)].flatMap((match) => [...match].slice(1));
}

const publishSome = () => publishDelivered(server, endpoint, 20);

/** Publishes until the journal has a head behind `offset`; returns it as a person would note it. */
async function headBehind(offset: number): Promise<string> {
  for (;;) {
    await publishSome();
    const [digest, at] = await metric(/^stepwell_journal_head_offset\{digest="(\w+)"\} (\d+)$/gm);
    if (digest !== undefined && Number(at) > offset) return `${digest}@${at}`;
  }
}

function against(kept: string) {
  const head = readKeptHead(kept);
  if (head === null) throw new Error(`no head: ${kept}`);
  return verifyFolder(server.dataDirectory, quiet, [head]);
}

it('a noted head still matches the journal after sweeps, and not after a forgery', async () => {
  const first = await headBehind(0);
  const second = await headBehind(Number(first.split('@')[1]) + 400);
  // Deliveries may all be in the growing segment: without more events, nothing is swept then.
  await repeatMoreSlowly(publishSome, async () => (await sweptRecords(server)) >= 100);
  await server.stop();
  for (const kept of [first, second, second.split('@')[0] ?? '']) {
    const { lines, problems } = await against(kept);
    expect(problems).toEqual([]);
    expect(lines.join('\n')).toMatch(
      /every sealed record is unchanged; \d+ records before \d+ were/,
    );
  }
  const head = await readChainHead(nodeDisk, server.dataDirectory, '__journal');
  expect(head?.offset).toBeGreaterThanOrEqual(Number(second.split('@')[1]));

  let changed = 0;
  await forgeStore(nodeDisk, server.dataDirectory, '__journal', {
    change: (body) => {
      const at = changed === 0 ? body.indexOf('xxxxxxxx') : -1;
      if (at < 0) return;
      body.write('forged!!', at);
      changed += 1;
    },
  });
  expect(changed).toBe(1);
  expect((await verifyFolder(server.dataDirectory)).problems).toEqual([]);
  const end = head?.offset ?? 0;
  expect((await against(`${head?.digest}@${end}`)).problems).toEqual([
    expect.stringContaining(`the digest at ${end} is`),
  ]);
  expect((await against(`${head?.digest}`)).problems).toEqual([
    expect.stringContaining(': it was changed'),
  ]);
  expect((await against(`${head?.digest}@${end + 1}`)).problems).toEqual([
    expect.stringContaining(`its records from there up to ${end + 1} are gone`),
  ]);
});

it('a quiet journal is sealed once a day, and then has a head', async () => {
  await server.remove();
  const clock = new ManualClock();
  const seal = { STEPWELL_JOURNAL_SEAL: '1d', STEPWELL_ALLOW_NETWORKS: 'none' };
  server = await startServer({ environment: seal, ports: { ...ports, clock } });
  const heads = () => metric(/^stepwell_journal_head_offset\{digest="\w+"\} (\d+)$/gm);
  const publish = () => callApi(server, 'POST', '/v2/publish/https://example.com', delayed, 'x');
  const advance = async (hours: number) => {
    for (let minutes = 0; minutes < hours * 60; minutes += 1) {
      clock.advance(60_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  expect((await publish()).status).toBe(200);
  await advance(23);
  expect(await heads()).toEqual([]);
  await advance(2);
  while ((await heads()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  const [first] = await heads();
  // Nothing was written since the last seal: nothing is sealed.
  await advance(25);
  expect(await heads()).toEqual([first]);
  expect((await publish()).status).toBe(200);
  await advance(1);
  while ((await heads())[0] === first) await new Promise((resolve) => setTimeout(resolve, 20));
});
