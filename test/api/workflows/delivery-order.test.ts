/**
 * The order in which the deliveries of a run reach its endpoint. The clock stands still, so held
 * deliveries stay held until their cause is answered or the test advances the clock.
 */
import { callApi } from '../../support/clients/api-call.js';
import {
  type RecordedRequest,
  RecordingEndpoint,
} from '../../support/clients/recording-endpoint.js';
import { ManualClock } from '../../support/manual-clock.js';
import { startServer, type TestServer } from '../../support/server.js';
import {
  asSdk,
  entriesOf,
  type Headers,
  RunEndpoint,
  step,
} from '../../support/workflows/run-endpoint.js';

const heldMsMax = 250;

let clock: ManualClock;
let server: TestServer;
let endpoint: RunEndpoint;

beforeEach(async () => {
  clock = new ManualClock();
  server = await startServer({ ports: { clock } });
  endpoint = await RunEndpoint.start(server);
});

afterEach(async () => {
  // Ends open requests first, because on this clock no timeout ends.
  await endpoint.stop();
  await server.remove();
});

const plan = (target: number, changes: object = {}) =>
  step(0, { stepName: `step ${target}`, targetStep: target, concurrent: 3, ...changes });
const branch = (id: number) => step(id, { concurrent: 3 });
const end = () => callApi(server, 'DELETE', `/v2/workflows/runs/${endpoint.runId}?cancel=false`);
/** Resolves when the server has done everything that was pending. */
const settled = async () => {
  for (let turn = 0; turn < 3; turn += 1) await callApi(server, 'GET', '/v2/workflows/logs');
};

/** A request that a test answers at a time of its choice. */
class Gate {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

/** Answers every delivery as an SDK does, when its gate is opened. */
function gated(): Gate[] {
  const gates: Gate[] = [];
  endpoint.answer(async () => {
    const gate = new Gate();
    gates.push(gate);
    await gate.opened;
    return asSdk;
  });
  return gates;
}

/** The number of held deliveries by what released them, without zeros. */
async function held(): Promise<Record<string, number>> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const lines = text.matchAll(/^stepwell_held_deliveries_total\{until="(\w+)"\} (\d+)$/gm);
  const counts = [...lines].map(([, until, count]) => [until, Number(count)] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

const callHeaders = (): Headers => {
  const { 'svc-forward-svc-workflow-sdk-version': _, ...ofRun } = endpoint.headers(false);
  const forwarded = 'svc-callback-forward-svc-workflow-';
  return {
    ...ofRun,
    'svc-workflow-calltype': 'toCallback',
    'svc-retries': '0',
    'svc-callback': endpoint.url,
    'svc-callback-workflow-calltype': 'fromCallback',
    'svc-callback-workflow-init': 'false',
    [`${forwarded}callback`]: 'true',
    [`${forwarded}stepid`]: '1',
    [`${forwarded}stepname`]: 'third',
    [`${forwarded}steptype`]: 'Call',
    [`${forwarded}concurrent`]: '1',
    [`${forwarded}contenttype`]: 'application/json',
  };
};

describe('the next delivery of a run', () => {
  it('comes when the delivery that caused it is answered', async () => {
    const happened: string[] = [];
    endpoint.answer(async (request) => {
      const { length } = entriesOf(request);
      happened.push(`${length} came`);
      if (length === 5) await end();
      else await endpoint.submit(step(length));
      await settled();
      happened.push(`${length} answered`);
      return asSdk;
    });
    await endpoint.init();
    await endpoint.received(5);
    while (happened.length < 10) await settled();
    expect(happened).toEqual(
      [1, 2, 3, 4, 5].flatMap((length) => [`${length} came`, `${length} answered`]),
    );
    expect(await held()).toEqual({ answer: 4 });
  });

  it('comes after a quarter of a second anyway, and then its cause holds no other', async () => {
    await endpoint.init();
    await endpoint.received(1);
    await endpoint.submit(step(1));
    clock.advance(heldMsMax - 1);
    await settled();
    expect(endpoint.requests).toHaveLength(1);
    clock.advance(1);
    await endpoint.received(2);
    expect(await held()).toEqual({ limit: 1 });
    // A repeated step is not another delivery; the next step is held by the second delivery.
    await endpoint.submit(step(2));
    await settled();
    expect(endpoint.requests).toHaveLength(2);
    clock.advance(heldMsMax);
    await endpoint.received(3);
    expect(await held()).toEqual({ limit: 2 });
  });

  it('does not wait for deliveries of an earlier run with the same id', async () => {
    await endpoint.init();
    await endpoint.received(1);
    await end();
    // From now on the id is free, while the endpoint has not answered yet.
    clock.advance(600_000);
    await endpoint.init();
    await endpoint.received(2);
    await endpoint.submit(step(1));
    await settled();
    expect(endpoint.requests).toHaveLength(2);
    expect(await held()).toEqual({});
    clock.advance(heldMsMax);
    expect(entriesOf(await endpoint.received(3))).toHaveLength(2);
  });

  it('is not made if the run is canceled meanwhile', async () => {
    const gates = gated();
    await endpoint.init();
    await endpoint.received(1);
    await endpoint.submit(step(1));
    await callApi(server, 'DELETE', `/v2/workflows/runs/${endpoint.runId}`);
    gates[0]?.open();
    clock.advance(heldMsMax);
    await settled();
    expect(endpoint.requests).toHaveLength(1);
  });

  it('waits for the answer of the takeover', async () => {
    const gates = gated();
    await endpoint.init();
    await endpoint.received(1);
    await endpoint.init({ 'svc-workflow-trigger-by-sdk': 'true' });
    await settled();
    expect(endpoint.requests).toHaveLength(1);
    gates[0]?.open();
    await endpoint.received(2);
  });

  it('waits for the delivery in which a notified wait was requested', async () => {
    const gates = gated();
    await endpoint.init();
    await endpoint.received(1);
    const waits = { step: step(1, { stepType: 'Wait' }), timeout: '1h' };
    await endpoint.post('/v2/wait/paid', endpoint.headers(false), waits);
    await callApi(server, 'POST', '/v2/notify/paid', {}, 'now');
    await settled();
    expect(endpoint.requests).toHaveLength(1);
    gates[0]?.open();
    await endpoint.received(2);
  });

  it('is made after a restart, after the repeated one', async () => {
    await endpoint.init();
    await endpoint.received(1);
    await endpoint.submit(step(1));
    const { dataDirectory } = server;
    let isStopped = false;
    const stopping = server.stop().then(() => {
      isStopped = true;
    });
    while (!isStopped) {
      // In small steps, so that the open attempt is cut off and does not time out.
      await new Promise((resolve) => setTimeout(resolve, 20));
      clock.advance(1000);
    }
    await stopping;
    server = await startServer({ ports: { clock }, dataDirectory });
    // The first one was cut.
    expect(entriesOf(await endpoint.received(2))).toHaveLength(1);
    await settled();
    expect(endpoint.requests).toHaveLength(2);
    clock.advance(heldMsMax);
    expect(entriesOf(await endpoint.received(3))).toHaveLength(2);
  });
});

describe('a third party', () => {
  it('is called at once, and its answer comes when the requesting delivery is done', async () => {
    const third = await RecordingEndpoint.start();
    const gates = gated();
    await endpoint.init();
    await endpoint.received(1);
    await endpoint.batch({ destination: `${third.url}/api`, headers: callHeaders(), body: '{}' });
    await third.received(1);
    await settled();
    expect(endpoint.requests).toHaveLength(1);
    gates[0]?.open();
    const answer = await endpoint.received(2);
    expect(answer.headers['svc-workflow-callback']).toBe('true');
    // The step that the endpoint makes of the answer is delivered when that delivery is answered.
    const result = step(1, { stepName: 'third', stepType: 'Call', out: '{}' });
    await endpoint.publish(endpoint.headers(false), result);
    await settled();
    expect(endpoint.requests).toHaveLength(2);
    gates[1]?.open();
    expect(entriesOf(await endpoint.received(3))).toHaveLength(2);
    await third.stop();
  });
});

describe('the branches of a parallel step', () => {
  const steps = (request: RecordedRequest) => JSON.parse(entriesOf(request).at(-1) ?? '');

  it('come when their plans are answered, and do not wait for each other', async () => {
    const gates = gated();
    await endpoint.init();
    await endpoint.received(1);
    await endpoint.batch(...[1, 2, 3].map((target) => endpoint.item(plan(target))));
    await settled();
    expect(endpoint.requests).toHaveLength(1);
    gates[0]?.open();
    // All three are open together.
    await endpoint.received(4);
    expect(endpoint.requests.slice(1).map((request) => steps(request).targetStep)).toEqual(
      expect.arrayContaining([1, 2, 3]),
    );
    const gateOf = (target: number) =>
      gates[endpoint.requests.findIndex((request) => steps(request).targetStep === target)];

    // Each branch waits for the answer of its own plan.
    await endpoint.submit(branch(1));
    await endpoint.submit(branch(2));
    gateOf(2)?.open();
    expect(steps(await endpoint.received(5)).stepId).toBe(2);
    await settled();
    expect(endpoint.requests).toHaveLength(5);
    gateOf(1)?.open();
    expect(steps(await endpoint.received(6)).stepId).toBe(1);
    await endpoint.submit(branch(3));
    gateOf(3)?.open();
    expect(steps(await endpoint.received(7)).stepId).toBe(3);

    // The next step waits for the delivery that contains all of them.
    await endpoint.submit(step(4));
    gates[4]?.open();
    gates[5]?.open();
    await settled();
    expect(endpoint.requests).toHaveLength(7);
    gates[6]?.open();
    expect(steps(await endpoint.received(8)).stepId).toBe(4);
    expect(await held()).toEqual({ answer: 7 });
  });
});

describe('another run', () => {
  it('is not held, neither an invoked run nor the run that invoked it', async () => {
    const child = `${endpoint.runId}_child`;
    const gates = gated();
    await endpoint.init();
    await endpoint.received(1);
    const headers = {
      ...endpoint.headers(true),
      'svc-workflow-runid': child,
      'svc-workflow-invoke': 'true',
    };
    const invoking = step(1, { stepType: 'Invoke', out: undefined });
    const body = { body: '{}', workflowRunId: endpoint.runId, step: invoking };
    await endpoint.publish(headers, body);
    // The child begins while its parent's delivery is open,
    const begun = await endpoint.received(2);
    expect(begun.headers['svc-workflow-runid']).toBe(child);
    gates[0]?.open();
    await settled();
    // and the parent gets its end while the child's delivery is open.
    await callApi(server, 'DELETE', `/v2/workflows/runs/${child}?cancel=false`, {}, '1');
    const delivery = await endpoint.received(3);
    expect(delivery.headers['svc-workflow-runid']).toBe(endpoint.runId);
  });

  it('gets the place that a held delivery does not take', async () => {
    const limits = { 'svc-flow-control-key': 'one', 'svc-flow-control-value': 'parallelism=1' };
    const second = await RunEndpoint.start(server);
    const gates = gated();
    await endpoint.init(limits);
    await endpoint.received(1);
    await endpoint.submit(step(1));
    await second.init(limits);
    // The other run waited for the slot before the step did.
    gates[0]?.open();
    await second.received(1);
    await settled();
    expect(endpoint.requests).toHaveLength(1);
    second.answer(() => asSdk);
    await callApi(server, 'DELETE', `/v2/workflows/runs/${second.runId}`);
    await second.stop();
    await endpoint.received(2);
  });
});
