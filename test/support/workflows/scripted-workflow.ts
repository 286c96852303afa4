/**
 * A workflow's endpoint that speaks the protocol by hand: a script says what each delivery makes it
 * submit and answer, so that a test can let it fail where no SDK would.
 */
import { type ApiServer, callApi } from '../clients/api-call.js';
import {
  type RecordedRequest,
  RecordingEndpoint,
  type ScriptedAnswer,
} from '../clients/recording-endpoint.js';

/** A step as it is submitted and delivered. */
export interface Step {
  readonly stepId: number;
  readonly stepName: string;
  readonly stepType: string;
  readonly concurrent: number;
  readonly targetStep?: number;
  readonly out?: string;
}

/** One request to the endpoint. */
export interface WorkflowDelivery {
  readonly role: 'step' | 'callResult' | 'failureCallback';
  readonly runId: string;
  readonly messageId: string;
  /** Attempts before this one. */
  readonly retried: number;
  readonly payload: string;
  /** Ids of the entries of a step's delivery, the initial one among them. */
  readonly entryIds: readonly string[];
  /** The entries behind the initial one. */
  readonly steps: readonly Step[];
  readonly request: RecordedRequest;
}

/** Submits and ends as the delivery asks for; what it answers, 200 where it does not say. */
export type WorkflowScript = (
  delivery: WorkflowDelivery,
  workflow: ScriptedWorkflow,
) => Promise<ScriptedAnswer | undefined> | ScriptedAnswer | undefined;

type Headers = Readonly<Record<string, string>>;

const sdk = { 'svc-workflow-sdk-version': '1', 'svc-workflow-sdk': 'v1.3.2' };

export class ScriptedWorkflow {
  readonly deliveries: WorkflowDelivery[] = [];
  script: WorkflowScript = () => undefined;
  private started = 0;

  private constructor(
    readonly endpoint: RecordingEndpoint,
    private readonly name: string,
    public server: ApiServer,
  ) {}

  static async start(server: ApiServer, name: string): Promise<ScriptedWorkflow> {
    const endpoint = await RecordingEndpoint.start();
    const workflow = new ScriptedWorkflow(endpoint, name, server);
    endpoint.answer((request) => workflow.answer(request));
    return workflow;
  }

  get url(): string {
    return `${this.endpoint.url}/${this.name}`;
  }

  /** Starts a run as the SDK does; `headers` are those of the batch item. Gives its id. */
  async trigger(headers: Headers = {}, body = '{"n":1}', url = this.url): Promise<string> {
    this.started += 1;
    // No id begins like another one: filters take beginnings.
    const number = `${this.started}`.padStart(4, '0');
    const name = `wfr_${this.name}_${this.endpoint.port}_${number}`;
    const runId = headers['svc-workflow-runid'] ?? name;
    const item = {
      destination: url,
      body,
      headers: {
        ...this.runHeaders(runId, true),
        'svc-workflow-url': url,
        'svc-retries': '0',
        ...headers,
      },
    };
    await this.ask('POST', '/v2/batch', JSON.stringify([item]));
    return runId;
  }

  /** Submits steps in one batch; `headers` go with each. */
  submit(runId: string, steps: readonly Step[], headers: Headers = {}): Promise<unknown> {
    const items = steps.map((step) => ({
      destination: this.url,
      body: JSON.stringify(step),
      headers: { ...this.runHeaders(runId, false), ...headers },
    }));
    return this.ask('POST', '/v2/batch', JSON.stringify(items));
  }

  /** Has a third party called for a step. */
  call(runId: string, step: Step, destination: string): Promise<unknown> {
    const ofRun = this.runHeaders(runId, false);
    const headers: Record<string, string> = {
      'svc-method': 'POST',
      'svc-retries': '0',
      'svc-workflow-calltype': 'toCallback',
      'svc-workflow-init': 'false',
      'svc-workflow-runid': runId,
      'svc-workflow-url': this.url,
      'svc-workflow-sdk-version': '1',
      'svc-feature-set': 'WF_NoDelete,InitialBody',
      'svc-callback': this.url,
      'svc-callback-feature-set': ofRun['svc-feature-set'] ?? '',
      'svc-callback-workflow-calltype': 'fromCallback',
      'svc-callback-workflow-init': 'false',
      'svc-callback-workflow-runid': runId,
      'svc-callback-workflow-url': this.url,
      'svc-callback-forward-svc-workflow-callback': 'true',
      'svc-callback-forward-svc-workflow-stepid': String(step.stepId),
      'svc-callback-forward-svc-workflow-stepname': step.stepName,
      'svc-callback-forward-svc-workflow-steptype': 'Call',
      'svc-callback-forward-svc-workflow-concurrent': String(step.concurrent),
      'svc-callback-forward-svc-workflow-contenttype': 'application/json',
    };
    return this.ask('POST', '/v2/batch', JSON.stringify([{ destination, body: 'B', headers }]));
  }

  /** Invokes a run of this workflow for a step. */
  invoke(runId: string, step: Step, childId: string): Promise<unknown> {
    const envelope = {
      body: 'child',
      headers: {},
      workflowRunId: runId,
      workflowUrl: this.url,
      step,
    };
    const headers = { ...this.runHeaders(childId, true), 'svc-workflow-invoke': 'true' };
    const path = `/v2/publish/${this.url}`;
    return this.ask('POST', path, JSON.stringify({ ...envelope, workflowRunCreatedAt: 1 }), {
      ...headers,
      'svc-retries': '0',
    });
  }

  /** The workflow function has returned. */
  end(runId: string, response = ''): Promise<unknown> {
    return this.ask('DELETE', `/v2/workflows/runs/${runId}?cancel=false`, response);
  }

  deliveriesOf(runId: string, role?: WorkflowDelivery['role']): readonly WorkflowDelivery[] {
    return this.deliveries.filter(
      (delivery) => delivery.runId === runId && (role === undefined || delivery.role === role),
    );
  }

  stop(): Promise<void> {
    return this.endpoint.stop();
  }

  private async ask(
    method: string,
    path: string,
    body: string,
    headers: Headers = {},
  ): Promise<unknown> {
    const answer = await callApi(
      this.server,
      method,
      path,
      headers,
      body === '' ? undefined : body,
    );
    if (answer.status >= 300) {
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }

  private runHeaders(runId: string, isInit: boolean): Record<string, string> {
    return {
      'content-type': 'application/json',
      'svc-method': 'POST',
      'svc-workflow-init': String(isInit),
      'svc-workflow-runid': runId,
      'svc-workflow-url': this.url,
      'svc-workflow-sdk-version': '1',
      'svc-forward-svc-workflow-sdk-version': '1',
      'svc-feature-set': 'LazyFetch,InitialBody,WF_DetectTrigger,WF_TriggerOnConfig',
    };
  }

  private async answer(request: RecordedRequest): Promise<ScriptedAnswer> {
    const delivery = deliveryOf(request);
    this.deliveries.push(delivery);
    const answer = (await this.script(delivery, this)) ?? {};
    return {
      body: '{"finishCondition":"success"}',
      ...answer,
      headers: { ...sdk, ...answer.headers },
    };
  }
}

function deliveryOf(request: RecordedRequest): WorkflowDelivery {
  const header = (name: string) => String(request.headers[`svc-${name}`] ?? '');
  const role = roleOf(header('workflow-calltype'));
  const entries =
    role === 'step'
      ? (JSON.parse(request.body.toString()) as { messageId: string; body: string }[])
      : [];
  const [payload = '', ...steps] = entries.map(({ body }) =>
    Buffer.from(body, 'base64').toString(),
  );
  return {
    role,
    runId: header('workflow-runid'),
    messageId: header('message-id'),
    retried: Number(header('retried')),
    payload,
    entryIds: entries.map(({ messageId }) => messageId),
    steps: steps.map((step) => JSON.parse(step) as Step),
    request,
  };
}

function roleOf(callType: string): WorkflowDelivery['role'] {
  if (callType === 'failureCall') return 'failureCallback';
  return callType === 'fromCallback' ? 'callResult' : 'step';
}
