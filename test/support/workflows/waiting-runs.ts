/** Runs whose endpoint is a test: a script says what it does at each delivery, as an SDK would. */
import type { Clock } from '../../../src/engine/clock.js';
import { Engine } from '../../../src/engine/engine.js';
import { provided } from '../../../src/engine/provided.js';
import type { StartRun } from '../../../src/workflows/run-state/run.commands.js';
import { type RunConfiguration, runKind } from '../../../src/workflows/run-state/run.events.js';
import { callApi } from '../clients/api-call.js';
import { type RecordedRequest, RecordingEndpoint } from '../clients/recording-endpoint.js';
import type { TestServer } from '../server.js';

/** An element of a delivered list. */
export interface DeliveredEntry {
  readonly messageId: string;
  readonly callType: string;
  /** The step's JSON, or the payload. */
  readonly text: string;
}

/** A delivery as it came in. */
export interface Delivery {
  readonly runId: string;
  readonly messageId: string;
  readonly entries: readonly DeliveredEntry[];
  readonly request: RecordedRequest;
}

/** What the endpoint does before it answers a delivery with 200. */
export type RunScript = (delivery: Delivery) => Promise<unknown>;

/** What the last entry of a delivery says, which is a step. */
export function lastStep({ entries }: Delivery): Record<string, unknown> {
  return JSON.parse(entries.at(-1)?.text ?? '') as Record<string, unknown>;
}

/** What a wait or a webhook was notified with. */
export function eventOf(step: Record<string, unknown>): Buffer {
  return Buffer.from(String(step['out']), 'base64');
}

export class WaitingRuns {
  readonly deliveries: Delivery[] = [];
  private readonly watchers = new Set<() => void>();

  private constructor(readonly endpoint: RecordingEndpoint) {}

  /** An endpoint that runs `script` at each delivery. */
  static async start(script: RunScript): Promise<WaitingRuns> {
    const endpoint = await RecordingEndpoint.start();
    const runs = new WaitingRuns(endpoint);
    endpoint.answer(async (request) => {
      const delivery = deliveryOf(request);
      await script(delivery);
      runs.deliveries.push(delivery);
      for (const watcher of [...runs.watchers]) watcher();
      return { headers: { 'svc-workflow-sdk-version': '1' } };
    });
    return runs;
  }

  /** Resolves when `count` deliveries have been worked on, and gives them. */
  async delivered(count: number): Promise<readonly Delivery[]> {
    while (this.deliveries.length < count) {
      await new Promise<void>((resolve) => {
        const watcher = () => {
          this.watchers.delete(watcher);
          resolve();
        };
        this.watchers.add(watcher);
      });
    }
    return this.deliveries;
  }

  /** Starts a run as the engine is asked to, whatever the ways in are. */
  async begin(
    server: TestServer,
    runId: string,
    changes: Partial<RunConfiguration> = {},
  ): Promise<void> {
    const engine = server.application.nest.get(Engine);
    const at = server.application.nest.get<Clock>(provided.clock).now();
    const command: StartRun = {
      type: 'StartRun',
      kind: runKind,
      id: runId,
      at,
      configuration: { ...configuration, url: `${this.endpoint.url}/workflow`, ...changes },
      messageId: `msg_${runId}`,
      payload: Buffer.from('payload'),
      payloadOffset: null,
      notBefore: at,
      isTakeover: false,
      invoker: null,
      inherited: null,
      repeated: [],
      handedOver: [],
    };
    await engine.dispatch([command]);
  }

  stop(): Promise<void> {
    return this.endpoint.stop();
  }
}

/** What an endpoint asks for when it waits for an event. */
export function askToWait(
  server: TestServer,
  runId: string,
  eventId: string,
  stepId: number,
  more: Readonly<Record<string, unknown>> = {},
) {
  const step = { stepId, stepName: `wait ${stepId}`, stepType: 'Wait', concurrent: 1 };
  const body = { url: 'http://127.0.0.1:9/workflow', timeout: '1h', step, ...more };
  const headers = { 'svc-workflow-runid': runId };
  return callApi(server, 'POST', `/v2/wait/${eventId}`, headers, JSON.stringify(body));
}

/** As `askToWait`, for a call of a webhook. */
export function askToWaitForCall(
  server: TestServer,
  runId: string,
  eventId: string,
  stepId: number,
) {
  const step = { stepId, stepName: `wait ${stepId}`, stepType: 'WaitForWebhook', concurrent: 1 };
  return askToWait(server, runId, eventId, stepId, { step });
}

/** Has a run announce a webhook, as its step `stepId`. */
export function announceWebhook(
  server: TestServer,
  { endpoint }: WaitingRuns,
  runId: string,
  eventId: string,
  stepId: number,
) {
  const url = `${endpoint.url}/workflow`;
  const webhookUrl = `${server.url}/v2/workflows/hooks/stepwell/${runId}/${eventId}`;
  const step = {
    stepId,
    stepName: `webhook ${stepId}`,
    stepType: 'CreateWebhook',
    out: JSON.stringify({ webhookUrl, eventId }),
    concurrent: 1,
  };
  const headers = {
    'content-type': 'application/json',
    'svc-workflow-init': 'false',
    'svc-workflow-runid': runId,
    'svc-workflow-url': url,
  };
  return callApi(server, 'POST', `/v2/publish/${url}`, headers, JSON.stringify(step));
}

const configuration: RunConfiguration = {
  dialect: 'svc',
  url: '',
  callerIp: '127.0.0.1',
  terms: {
    maxRetries: 0,
    retryDelay: null,
    timeoutMs: null,
    flowControl: null,
    labels: [],
    redaction: null,
    failureCallback: null,
  },
  headers: [],
  failureHeaders: [],
  answerCheck: 'protocol',
  fetchesLazily: false,
  reportsInitialBody: true,
};

function deliveryOf(request: RecordedRequest): Delivery {
  const entries = JSON.parse(request.body.toString()) as {
    messageId: string;
    callType: string;
    body: string;
  }[];
  return {
    runId: String(
      request.headers['svc-workflow-runid'] ?? request.headers['upstash-workflow-runid'],
    ),
    messageId: String(request.headers['svc-message-id'] ?? request.headers['upstash-message-id']),
    entries: entries.map(({ messageId, callType, body }) => ({
      messageId,
      callType,
      text: Buffer.from(body, 'base64').toString(),
    })),
    request,
  };
}
