/**
 * The workflow protocol by hand, with nothing in it that a run does not need. Its words are the
 * published client's, so that the same bare loop can stand beside both.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Pool } from 'undici';
import type { BatchItem } from '../load/message-batches.js';
import { bearer } from '../measure/stepwell-server.js';

type Fields = Readonly<Record<string, string>>;

const requestHeaders = { authorization: bearer, 'content-type': 'application/json' };

const askAgainMs = 100;

/** What shows the server that it has called a workflow. */
export const workflowHeaders: Fields = {
  'upstash-workflow-sdk-version': '1',
  'upstash-workflow-sdk': 'v1.3.3',
};

/** The runs of one endpoint, as their application asks the server for what is next in them. */
export class RunRequests {
  private readonly pool: Pool;

  constructor(
    server: string,
    private readonly endpoint: string,
  ) {
    this.pool = new Pool(server, { connections: 64 });
  }

  start(runId: string, payload: string): Promise<void> {
    return this.submit(startItem(this.endpoint, runId, payload));
  }

  /** Stores a step, with the options of its delivery. */
  step(runId: string, number: number, fields: Fields, options: Fields = {}): Promise<void> {
    const body = JSON.stringify({ stepId: number, ...fields, concurrent: 1 });
    return this.submit(
      itemOf(this.endpoint, runId, body, { 'workflow-init': 'false', ...options }),
    );
  }

  /** Has a run wait for an event in this step. */
  wait(runId: string, number: number, eventId: string): Promise<void> {
    const step = { stepId: number, stepName: 'wait', stepType: 'Wait', concurrent: 1 };
    const body = JSON.stringify({ url: this.endpoint, timeout: '30d', step });
    const headers = { 'upstash-workflow-runid': runId };
    return this.ask('POST', `/v2/wait/${eventId}`, body, () => true, headers);
  }

  /** Has a run wait in this step for another one, which begins. */
  invoke(runId: string, number: number, childId: string): Promise<void> {
    const step = { stepId: number, stepName: 'invoke', stepType: 'Invoke', concurrent: 1 };
    const envelope = { body: '"child"', headers: {}, workflowRunId: runId, step };
    const { destination, headers } = itemOf(this.endpoint, childId, '', {
      'workflow-init': 'true',
      'workflow-invoke': 'true',
    });
    const path = `/v2/publish/${destination}`;
    return this.ask('POST', path, JSON.stringify(envelope), () => true, headers);
  }

  end(runId: string): Promise<void> {
    return this.ask('DELETE', `/v2/workflows/runs/${runId}?cancel=false`, '"done"', () => true);
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private submit(item: BatchItem): Promise<void> {
    const isTaken = (text: string) => text.includes('"messageId"');
    return this.ask('POST', '/v2/batch', JSON.stringify([item]), isTaken);
  }

  private async ask(
    method: 'POST' | 'DELETE',
    path: string,
    body: string,
    isRight: (text: string) => boolean,
    more: Fields = {},
  ): Promise<void> {
    const headers = { ...more, ...requestHeaders };
    // Without `reset` the client closes a connection behind each DELETE that has a body.
    const response = await this.pool.request({ method, path, headers, body, reset: false });
    const text = await response.body.text();
    // A server that starts calls what is due before it serves: its clients ask again.
    if (response.statusCode === 503 && text.includes('not serving')) {
      await new Promise((resolve) => setTimeout(resolve, askAgainMs));
      return this.ask(method, path, body, isRight, more);
    }
    if (response.statusCode > 201 || !isRight(text)) {
      throw new Error(`${method} ${path} answered ${response.statusCode}: ${text}`);
    }
  }
}

export function startItem(endpoint: string, runId: string, payload: string): BatchItem {
  return itemOf(endpoint, runId, payload, { 'workflow-init': 'true' });
}

function itemOf(endpoint: string, runId: string, body: string, options: Fields): BatchItem {
  const named = {
    ...options,
    method: 'POST',
    'workflow-runid': runId,
    'workflow-url': endpoint,
    'workflow-sdk-version': '1',
    'feature-set': 'LazyFetch,InitialBody,WF_DetectTrigger,WF_TriggerOnConfig',
    'forward-upstash-workflow-sdk-version': '1',
  };
  const headers = Object.entries(named).map(([name, value]) => [`upstash-${name}`, value]);
  return {
    destination: endpoint,
    headers: { ...Object.fromEntries(headers), 'content-type': 'application/json' },
    body,
  };
}

/** What a delivery of a run brings. */
export interface RunDelivery {
  readonly runId: string;
  /** What the run was started with. */
  readonly payload: string;
  /** How many steps have a result. */
  readonly done: number;
}

export function readDelivery(headers: IncomingHttpHeaders, body: Buffer): RunDelivery {
  const [initial, ...results] = JSON.parse(body.toString()) as readonly { body: string }[];
  return {
    runId: String(headers['upstash-workflow-runid']),
    payload: Buffer.from(initial?.body ?? '', 'base64').toString(),
    done: results.length,
  };
}
