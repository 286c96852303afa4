import { type PrintOptions, printedLines } from '../../../src/cli/journal/journal-print.js';
import { readJournal } from '../../../src/cli/journal/journal-reader.js';
import { redacted } from '../../../src/messaging/messages/redaction.js';
import { createLog } from '../../../src/server/logging/log.js';
import { callApi } from '../../support/clients/api-call.js';
import { callLog } from '../../support/clients/log-client.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';
import { resultOf } from '../../support/workflows/logged-runs.js';
import { ScriptedWorkflow } from '../../support/workflows/scripted-workflow.js';
import { askToWait } from '../../support/workflows/waiting-runs.js';

/** Every value that must be hidden contains this word, and no option that hides it does. */
const word = 'HUSH';
const logged: string[] = [];
let server: TestServer;
let endpoint: RecordingEndpoint;
let workflow: ScriptedWorkflow;
let keys: Readonly<Record<'current' | 'next', string>>;
let password: string;

const hiding = { 'svc-redact-fields': 'body,headers' };

async function publishAll(): Promise<void> {
  const publish = (headers: Record<string, string>, body: string) =>
    callApi(server, 'POST', `/v2/publish/${endpoint.url}/x`, { ...hiding, ...headers }, body);
  await publish(
    {
      'svc-forward-x-secret': `${word} header`,
      'svc-retries': '1',
      'svc-retry-delay': '1',
      'svc-callback': `${endpoint.url}/callback`,
      'svc-callback-forward-x-own': `${word} callback`,
      'svc-failure-callback': `${endpoint.url}/failed`,
      'svc-failure-callback-forward-x-own': `${word} failure`,
    },
    `${word} body`,
  );
  await callApi(
    server,
    'POST',
    `/v2/schedules/${endpoint.url}/x`,
    { ...hiding, 'svc-cron': '0 0 1 1 *', 'svc-forward-x-secret': `${word} schedule` },
    `${word} scheduled`,
  );
  // Two attempts, each with a callback, and a failure callback after the last.
  await endpoint.received(5);
}

/** A run that submits a step, calls, waits, and returns a result, all of which are hidden. */
async function runOne(): Promise<void> {
  workflow.script = async ({ role, runId, steps }) => {
    if (role === 'callResult') {
      await workflow.submit(runId, [resultOf(2, 'call', { stepType: 'Call', out: `${word} c` })]);
    } else if (steps.length === 0) {
      await workflow.submit(runId, [resultOf(1, 'one', { out: `${word} step` })]);
    } else if (steps.length === 1) {
      const step = resultOf(2, 'call', { stepType: 'Call' });
      await workflow.call(runId, step, `${endpoint.url}/third`);
    } else if (steps.length === 2) await askToWait(server, runId, 'paid', 3);
    else await workflow.end(runId, `${word} result`);
    return undefined;
  };
  const headers = { ...hiding, 'svc-forward-x-secret': `${word} of a run` };
  const runId = await workflow.trigger(headers, `${word} payload`);
  const rows = () => callApi(server, 'GET', `/v2/workflows/messageLogs?workflowRunId=${runId}`);
  await until(rows, 'WAITER_ADDED');
  await callApi(server, 'POST', '/v2/notify/paid', {}, `${word} event`);
  await until(rows, 'RUN_SUCCESS');
}

async function until(read: () => Promise<{ body: unknown }>, state: string): Promise<void> {
  while (!JSON.stringify((await read()).body).includes(`"${state}"`)) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

beforeAll(async () => {
  const log = createLog('trace', { write: (line: string) => void logged.push(line) });
  server = await startServer({ ports: { log, streamSizes: { eventsPerCheckpoint: 1 } } });
  // The endpoint returns what it was sent, as many do when they fail.
  endpoint = await RecordingEndpoint.start(({ url, body, headers }) => ({
    status: url === '/x' ? 500 : 200,
    headers: { 'x-secret': String(headers['x-secret'] ?? '') },
    body,
  }));
  workflow = await ScriptedWorkflow.start(server, 'hushed');
  await publishAll();
  await runOne();
  keys = (await callApi(server, 'POST', '/v2/keys/rotate')).body as typeof keys;
  const printer = { name: 'printer', permissions: 'ALL', topic: '*' };
  password = ((await callLog(server, '/admin/credentials', printer)).body as { password: string })
    .password;
  await server.stop();
});

afterAll(async () => {
  await server.remove();
  await endpoint.stop();
  await workflow.stop();
});

const printed = (options: PrintOptions): Promise<string> =>
  readJournal(server.dataDirectory, async (journal) => {
    const lines: string[] = [];
    if (journal === null) throw new Error('there is no journal');
    for await (const line of printedLines(journal, options)) lines.push(line);
    return lines.join('\n');
  });

/** The text together with all of its base64 parts decoded, and theirs. */
function decoded(text: string): string {
  const inner = text.match(/[A-Za-z0-9+/]{8,}={0,2}/g) ?? [];
  return [text, ...inner.map((part) => decodedOnce(part))].join('\n');
}

function decodedOnce(part: string): string {
  const text = Buffer.from(part, 'base64').toString('latin1');
  return part.length > 200 ? decoded(text) : text;
}

const credentialDigest = /"digest":"[0-9a-f]{64}"|digest=[0-9a-f]{64}/;

describe.each([[true], [false]])('the printed journal (JSON: %s)', (json) => {
  it('contains no redacted value and no secret of the server', async () => {
    const text = decoded(await printed({ json }));
    const secrets = [word, keys.current, keys.next, password];
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(credentialDigest.test(text)).toBe(false);
  });

  it('contains them when they are to be revealed', async () => {
    const text = decoded(await printed({ json, reveal: true }));
    for (const secret of ['header', 'callback', 'failure', 'schedule', 'of a run']) {
      expect(text).toContain(`${word} ${secret}`);
    }
    expect(text).toContain(keys.next);
    expect(text).toMatch(credentialDigest);
    if (!json) return;
    for (const secret of ['body', 'scheduled', 'payload', 'step', 'event', 'result']) {
      expect(text).toContain(`${word} ${secret}`);
    }
  });

  it('has digests in their place, as the API does', async () => {
    const text = await printed({ json });
    for (const secret of ['header', 'callback', 'failure', 'schedule', 'of a run']) {
      expect(text).toContain(redacted(`${word} ${secret}`));
    }
  });
});

it('the printed journal has digests of redacted bodies', async () => {
  const text = await printed({ json: true });
  for (const secret of ['body', 'scheduled', 'payload', 'event', 'result']) {
    expect(text).toContain(redacted(`${word} ${secret}`));
  }
});

it('the printed journal hides redacted values from whatever offset it starts', async () => {
  const offsets = (await printed({})).split('\n').map((line) => Number.parseInt(line, 10));
  for (const from of offsets) {
    expect(decoded(await printed({ json: true, from })).includes(word)).toBe(false);
  }
});

it('the log of the server has no redacted value', () => {
  expect(logged.length).toBeGreaterThan(0);
  expect(decoded(logged.join('\n')).includes(word)).toBe(false);
});
