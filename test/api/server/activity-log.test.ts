import { type DestinationStream, type Logger, pino } from 'pino';
import type { ServerMode } from '../../../src/server/configuration/config.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';
import { ScriptedWorkflow } from '../../support/workflows/scripted-workflow.js';

/** A line of the log as JSON. */
interface Line {
  readonly level: number;
  readonly msg: string;
  readonly messageId?: string;
  readonly workflowRunId?: string;
}

/** A log in memory, on which a test can wait for a line. */
class HeardLog implements DestinationStream {
  readonly lines: Line[] = [];
  private readonly watchers = new Set<() => void>();

  write(text: string): void {
    this.lines.push(JSON.parse(text));
    for (const watcher of this.watchers) watcher();
  }

  at(level: string): Logger {
    return pino({ level, base: null }, this);
  }

  /** The first line that matches, as soon as the log has one. */
  async line(pattern: RegExp): Promise<Line> {
    for (;;) {
      const found = this.lines.find(({ msg }) => pattern.test(msg));
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        const watcher = () => {
          this.watchers.delete(watcher);
          resolve();
        };
        this.watchers.add(watcher);
      });
    }
  }
}

const activity = /^(delivered|retrying|failed|canceled|completed|run|and) /;

let endpoint: RecordingEndpoint;
let server: TestServer;
let log: HeardLog;

beforeEach(async () => {
  endpoint = await RecordingEndpoint.start();
});

afterEach(async () => {
  await server.remove();
  await endpoint.stop();
});

async function begin(mode: ServerMode, level: string): Promise<void> {
  log = new HeardLog();
  server = await startServer({ mode, ports: { log: log.at(level) } });
}

async function publish(path: string, headers: Readonly<Record<string, string>> = {}) {
  const target = `/v2/publish/${endpoint.url}${path}`;
  const { body } = await callApi(server, 'POST', target, headers, 'hello');
  return (body as { messageId: string }).messageId;
}

const place = (path: string) => `POST ${endpoint.url}${path}`.replaceAll('.', '\\.');

describe('the log of dev', () => {
  beforeEach(() => begin('dev', 'info'));

  it('has one line for a delivery, without a query, which may hold a secret', async () => {
    const id = await publish('/hook?token=secret');
    const { messageId } = await log.line(
      new RegExp(`^delivered ${place('/hook')} 200 in [\\d.]+ m?s \\(${id}\\)$`),
    );
    expect(messageId).toBe(id);
    expect(JSON.stringify(log.lines)).not.toContain('secret');
  });

  it('has one line for each failed attempt; the last names the dead letter', async () => {
    endpoint.answer(() => ({ status: 503 }));
    const id = await publish('/down', { 'svc-retries': '1', 'svc-retry-delay': '10' });
    const failed = await log.line(/^failed /);
    const { body } = await callApi(server, 'GET', '/v2/dlq');
    const [letter] = (body as { messages: { dlqId: string }[] }).messages;
    expect(failed.msg).toMatch(
      new RegExp(
        `^failed ${place('/down')} 503 in .* after 2 attempts, ` +
          `dead letter ${letter?.dlqId} \\(${id}\\)$`,
      ),
    );
    const retrying = `^retrying ${place('/down')} 503 in [^,]*, next in 10 ms \\(${id}\\)$`;
    await log.line(new RegExp(retrying));
    expect(log.lines.filter(({ messageId }) => messageId === id)).toHaveLength(2);
  });

  it('says why a destination did not answer', async () => {
    // An endpoint that was never called: no connection to it can be reset.
    const gone = await RecordingEndpoint.start();
    const { url } = gone;
    await gone.stop();
    const target = `/v2/publish/${url}/gone`;
    await callApi(server, 'POST', target, { 'svc-retries': '0' }, 'hello');
    expect((await log.line(/^failed /)).msg).toMatch(/ in \d+ ms: .*refused/i);
  });

  it('has one line for a canceled message', async () => {
    const id = await publish('/later', { 'svc-delay': '1h' });
    await callApi(server, 'DELETE', `/v2/messages/${id}`);
    await log.line(new RegExp(`^canceled ${place('/later')} \\(${id}\\)$`));
  });

  it('has one line for the end of a run, whatever the end is', async () => {
    const workflow = await ScriptedWorkflow.start(server, 'orders');
    try {
      workflow.script = async ({ role, runId }) => {
        if (role === 'step') await workflow.end(runId);
        return undefined;
      };
      const good = await workflow.trigger();
      const run = await log.line(/^run succeeded /);
      expect(run.workflowRunId).toBe(good);
      expect(run.msg).toMatch(/^run succeeded http:\S+\/orders after .* \(wfr_orders_\d+_0001\)$/);
      // The answer to the open delivery ends the run.
      const call = `POST ${workflow.url}`;
      const [delivery] = workflow.deliveries;
      const completed = await log.line(/^completed /);
      expect(completed.msg).toBe(`completed ${call} with its run (${delivery?.messageId})`);
      workflow.script = () => ({ status: 500 });
      await workflow.trigger();
      expect((await log.line(/^run failed /)).msg).toMatch(/exhausted \(wfr_orders_\d+_0002\)$/);
      const { msg: failed } = await log.line(/^failed /);
      expect(failed).toMatch(/ 500 in [\d.]+ m?s \(msg_\w+\)$/);
      const late = await workflow.trigger({ 'svc-delay': '1h' });
      await callApi(server, 'DELETE', `/v2/workflows/runs/${late}?cancel=true`);
      expect((await log.line(/^run canceled /)).workflowRunId).toBe(late);
    } finally {
      await workflow.stop();
    }
  });

  it('counts the lines that are too many for one second', async () => {
    const item = { destination: `${endpoint.url}/many`, body: 'x' };
    const batch = JSON.stringify(Array.from({ length: 90 }, () => item));
    await callApi(server, 'POST', '/v2/batch', {}, batch);
    const shown = () => log.lines.filter(({ msg }) => msg.startsWith('delivered ')).length;
    const counted = () =>
      log.lines.reduce((sum, { msg }) => sum + Number(/^and (\d+) more/.exec(msg)?.[1] ?? 0), 0);
    await log.line(/^and \d+ more/);
    // A slow machine may deliver some of the messages in another second.
    while (shown() + counted() < 90) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(shown() + counted()).toBe(90);
    expect(counted()).toBeGreaterThan(0);
  });
});

describe('the log of start', () => {
  it('has the same lines at the level debug', async () => {
    await begin('start', 'debug');
    const id = await publish('/hook');
    const { level } = await log.line(new RegExp(`^delivered ${place('/hook')} .*${id}`));
    expect(level).toBe(pino.levels.values['debug']);
  });

  it('has none of these lines at the level info', async () => {
    await begin('start', 'info');
    await publish('/hook');
    await endpoint.received(1);
    // Once the log has its row, the delivery is durable and every listener was called.
    for (;;) {
      const { body } = await callApi(server, 'GET', '/v2/logs?state=DELIVERED');
      if (((body as { logs?: unknown[] }).logs ?? []).length > 0) break;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(log.lines.filter(({ msg }) => activity.test(msg))).toEqual([]);
  });
});
