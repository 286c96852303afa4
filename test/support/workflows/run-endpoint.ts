/** A workflow's endpoint without an SDK: what one would send, a test sends itself. */
import { callApi } from '../clients/api-call.js';
import {
  type RecordedRequest,
  RecordingEndpoint,
  type Script,
} from '../clients/recording-endpoint.js';
import type { TestServer } from '../server.js';

export type Headers = Readonly<Record<string, string>>;

/** What an SDK's answers are known by. */
export const asSdk = {
  headers: { 'svc-workflow-sdk-version': '1', 'svc-workflow-sdk': 'v1.3.2' },
} as const;

/** A delivery that stays open: its endpoint may still add to the run. */
const never = new Promise<never>(() => undefined);

/** A step's result, as its submission spells it. */
export const step = (id: number, changes: object = {}) => ({
  stepId: id,
  stepName: `step ${id}`,
  stepType: 'Run',
  out: String(id),
  concurrent: 1,
  ...changes,
});

/** An element of what a step delivers. */
export const entry = (messageId: string, text: string) => ({
  messageId,
  body: Buffer.from(text).toString('base64'),
  callType: 'step',
});

/** The JSON of a delivery. */
export const bodyOf = (request: RecordedRequest | undefined): unknown =>
  JSON.parse(request?.body.toString() ?? 'null');

/** The texts of the entries that a delivery brings. */
export const entriesOf = (request: RecordedRequest | undefined): string[] =>
  (bodyOf(request) as { body: string }[]).map(({ body }) => Buffer.from(body, 'base64').toString());

/** The headers of a delivery that tell of its run, and those that begin with `x-`. */
export const runHeaders = ({ headers }: RecordedRequest) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(svc-(workflow|label)|x-)/.test(name)),
  );

/** The id of the message that a batch of one, or a publish, was answered with. */
export const idOf = ({ body }: { readonly body: unknown }): string => {
  const first = (Array.isArray(body) ? body[0] : body) as { messageId?: string } | undefined;
  return first?.messageId ?? '';
};

let runs = 0;

/** One run's endpoint, on a free port; it leaves every delivery open until a test answers it. */
export class RunEndpoint {
  private constructor(
    private readonly server: TestServer,
    private readonly recording: RecordingEndpoint,
    readonly runId: string,
  ) {}

  static async start(server: TestServer): Promise<RunEndpoint> {
    const recording = await RecordingEndpoint.start(() => never);
    return new RunEndpoint(server, recording, `wfr_${runs++}`);
  }

  /** The workflow's. */
  get url(): string {
    return `${this.recording.url}/wf`;
  }

  get requests(): readonly RecordedRequest[] {
    return this.recording.requests;
  }

  answer(script: Script): void {
    this.recording.answer(script);
  }

  stop(): Promise<void> {
    return this.recording.stop();
  }

  /** The `count`th request that it gets. */
  async received(count: number): Promise<RecordedRequest> {
    const request = (await this.recording.received(count))[count - 1];
    if (request === undefined) throw new Error('nothing was received');
    return request;
  }

  /** What an SDK says of its run with each request. */
  headers(init: boolean): Headers {
    return {
      'content-type': 'application/json',
      'svc-method': 'POST',
      'svc-workflow-init': String(init),
      'svc-workflow-runid': this.runId,
      'svc-workflow-url': this.url,
      'svc-workflow-sdk-version': '1',
      'svc-feature-set': 'LazyFetch,InitialBody,WF_DetectTrigger,WF_TriggerOnConfig',
      'svc-forward-svc-workflow-sdk-version': '1',
      'svc-telemetry-sdk': '@upstash/workflow@v1.3.2',
    };
  }

  /** What an SDK says with the first step of the run, if that calls a third party. */
  callHeaders(): Headers {
    const { 'svc-forward-svc-workflow-sdk-version': _, ...ofRun } = this.headers(false);
    return {
      ...ofRun,
      'svc-workflow-calltype': 'toCallback',
      'svc-feature-set': 'WF_NoDelete,InitialBody',
      'svc-callback': this.url,
      'svc-callback-feature-set': 'LazyFetch,InitialBody,WF_DetectTrigger,WF_TriggerOnConfig',
      'svc-callback-workflow-calltype': 'fromCallback',
      'svc-callback-workflow-init': 'false',
      'svc-callback-workflow-runid': this.runId,
      'svc-callback-workflow-url': this.url,
      'svc-callback-forward-svc-workflow-callback': 'true',
      'svc-callback-forward-svc-workflow-stepid': '1',
      'svc-callback-forward-svc-workflow-stepname': 'third',
      'svc-callback-forward-svc-workflow-steptype': 'Call',
      'svc-callback-forward-svc-workflow-concurrent': '1',
      'svc-callback-forward-svc-workflow-contenttype': 'application/json',
    };
  }

  post(path: string, headers: Headers, body: unknown) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return callApi(this.server, 'POST', path, headers, text);
  }

  batch(...items: readonly object[]) {
    return this.post('/v2/batch', {}, items);
  }

  /** A publish to the workflow's own URL. */
  publish(headers: Headers, body: unknown = '') {
    return this.post(`/v2/publish/${this.url}`, headers, body);
  }

  /** Starts the run. */
  init(headers: Headers = {}, body = '{"n":1}') {
    return this.batch({
      destination: this.url,
      headers: { ...this.headers(true), ...headers },
      body,
    });
  }

  /** An item of a batch that adds to the run. */
  item(body: unknown, headers: Headers = {}) {
    return {
      destination: this.url,
      headers: { ...this.headers(false), ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    };
  }

  submit(body: unknown, headers: Headers = {}) {
    return this.batch(this.item(body, headers));
  }

  /** A message that is not final, as the API shows it. */
  async message(id: string): Promise<Readonly<Record<string, unknown>>> {
    const { body } = await callApi(this.server, 'GET', `/v2/messages/${id}`);
    return body as Readonly<Record<string, unknown>>;
  }
}
