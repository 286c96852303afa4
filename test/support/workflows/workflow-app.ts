/**
 * An application of the published workflow client, served from plain Node HTTP and configured as
 * any deployed one: by its environment. It remembers every call that it gets.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@upstash/workflow';
import { serveMany } from '@upstash/workflow/cloudflare';

/** The server that runs the application's workflows. */
export interface WorkflowServer {
  readonly url: string;
  readonly token: string;
}

export type Workflows = Parameters<typeof serveMany>[0];

/** What a call brings: the entries of a run, a third party's answer, or the news of a failure. */
export type DeliveryRole = 'step' | 'callResult' | 'failureCallback' | 'first';

/** One call of the application, as it came and as it was answered. */
export interface Delivery {
  readonly workflow: string;
  readonly role: DeliveryRole;
  readonly runId: string;
  readonly messageId: string;
  /** Attempts before this one. */
  readonly retried: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** 0 = the connection was cut. */
  status: number;
}

/**
 * When the application crashes under a call: before it has done anything, while the step is at
 * work (which goes on behind it), or after it has submitted the step.
 */
export type Crash = 'before' | 'during' | 'after';

/** An element of the list that a step's delivery carries. */
interface DeliveredEntry {
  readonly messageId: string;
  readonly body: string;
}

export interface Outcome {
  readonly state: string | undefined;
  readonly response?: unknown;
}

interface DeliveredList {
  readonly runId: string;
  readonly entries: readonly DeliveredEntry[];
  /** The message that delivered it; null = a client asked for it. */
  readonly endsWith: string | null;
}

export class WorkflowApp {
  readonly client: Client;
  readonly deliveries: Delivery[] = [];
  /** Calls that have come and are not answered yet. */
  openCalls = 0;
  /** What was sent of the entries of runs, in deliveries and in answers. */
  private readonly lists: DeliveredList[] = [];
  private crashOf: (delivery: Delivery) => Crash | null = () => null;
  private holdOf: (delivery: Delivery) => Promise<unknown> | null = () => null;

  private constructor(
    private readonly http: Server,
    readonly server: WorkflowServer,
    private readonly answer: (request: Request) => Promise<Response>,
  ) {
    this.client = new Client({ baseUrl: server.url, token: server.token });
    http.on('request', (request, response) => void this.take(request, response));
  }

  /** Serves each workflow under its name, on a free port of the loopback interface. */
  static async start(server: WorkflowServer, workflows: Workflows): Promise<WorkflowApp> {
    const http = createServer({ keepAliveTimeout: 60_000 });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const environment = await environmentOf(server);
    const { fetch } = serveMany(workflows);
    return new WorkflowApp(http, server, (request) => fetch(request, environment));
  }

  urlOf(workflow: string): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/${workflow}`;
  }

  /** Starts a run by the published client; a short retry delay unless the options have one. */
  async trigger(
    workflow: string,
    options: Partial<Parameters<Client['trigger']>[0][number]> = {},
  ): Promise<string> {
    const run = { retryDelay: '50', ...options, url: this.urlOf(workflow) };
    return (await this.client.trigger(run)).workflowRunId;
  }

  /** What it was called with for a run. */
  callsOf(runId: string, role?: DeliveryRole): readonly Delivery[] {
    return this.deliveries.filter(
      (delivery) => delivery.runId === runId && (role === undefined || delivery.role === role),
    );
  }

  /** How a run ended, once it has; `response` is what it returned, as its log has it. */
  async outcome(runId: string): Promise<Outcome> {
    // Asked again and again, so it gets no bodies.
    const filter = { workflowRunId: runId, trimBody: -1 };
    for (;;) {
      const [run] = (await this.client.logs({ filter })).runs;
      if (run !== undefined && run.workflowState !== 'RUN_STARTED') break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const [run] = (await this.client.logs({ workflowRunId: runId })).runs;
    const { workflowState: state, workflowRunResponse: text } = run ?? {};
    return { state, ...(text !== undefined && { response: JSON.parse(text) }) };
  }

  /** From now on it crashes under the calls that this says. */
  crash(crashOf: (delivery: Delivery) => Crash | null): void {
    this.crashOf = crashOf;
  }

  /** From now on it answers only after what this returns; the steps are submitted before. */
  hold(holdOf: (delivery: Delivery) => Promise<unknown> | null): void {
    this.holdOf = holdOf;
  }

  /** Looks at the list of an active run, for `contradictions`; null = it is active no more. */
  async look(runId: string): Promise<readonly DeliveredEntry[] | null> {
    const headers = { authorization: `Bearer ${this.server.token}` };
    const response = await fetch(`${this.server.url}/v2/workflows/runs/${runId}`, { headers });
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(await response.text());
    const entries = (await response.json()) as readonly DeliveredEntry[];
    this.lists.push({ runId, entries, endsWith: null });
    return entries;
  }

  /**
   * What no server may do, one line each: tell of a run what is not the beginning of one and the
   * same list, have a step in it twice, or end a delivery with another entry than its own.
   */
  contradictions(): readonly string[] {
    const longest = new Map<string, readonly DeliveredEntry[]>();
    const found: string[] = [];
    for (const { runId, entries, endsWith } of this.lists) {
      const last = entries.at(-1)?.messageId;
      if (endsWith !== null && last !== endsWith)
        found.push(`${runId}: ${endsWith} ends with ${last}`);
      const known = longest.get(runId) ?? [];
      for (const [index, entry] of entries.entries()) {
        const before = known[index];
        if (before === undefined || isSame(before, entry)) continue;
        found.push(`${runId}: entry ${index} was ${say(before)} and is ${say(entry)}`);
      }
      if (entries.length > known.length) longest.set(runId, entries);
    }
    return [...found, ...[...longest].flatMap(([runId, entries]) => repetitions(runId, entries))];
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise<void>((resolve) => this.http.close(() => resolve()));
  }

  private remember({ role, runId, messageId, body }: Delivery): void {
    if (role !== 'step' || body === '') return; // nothing, or left to be fetched
    const entries = JSON.parse(body) as readonly DeliveredEntry[];
    this.lists.push({ runId, entries, endsWith: messageId });
  }

  private async take(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    this.openCalls += 1;
    try {
      await this.answerTo(incoming, outgoing);
    } finally {
      this.openCalls -= 1;
    }
  }

  private async answerTo(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      return; // the server was killed in the middle: nothing was asked
    }
    const body = Buffer.concat(chunks);
    const delivery = deliveryOf(incoming, body.toString());
    this.deliveries.push(delivery);
    this.remember(delivery);
    const crash = this.crashOf(delivery);
    if (crash === 'before' || crash === 'during') outgoing.destroy();
    if (crash === 'before') return;
    const response = await this.answer(requestOf(this.urlOf(''), incoming, body));
    const text = await response.text();
    await this.holdOf(delivery);
    if (crash !== null) {
      outgoing.destroy();
      return;
    }
    delivery.status = response.status;
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(text);
  }
}

/** What a deployed application finds in its environment. */
async function environmentOf({ url, token }: WorkflowServer): Promise<Record<string, string>> {
  const headers = { authorization: `Bearer ${token}` };
  const keys = await (await fetch(`${url}/v2/keys`, { headers })).json();
  const { current, next } = keys as { current: string; next: string };
  return {
    QSTASH_URL: url,
    QSTASH_TOKEN: token,
    QSTASH_CURRENT_SIGNING_KEY: current,
    QSTASH_NEXT_SIGNING_KEY: next,
  };
}

function deliveryOf({ url = '', headers }: IncomingMessage, body: string): Delivery {
  const header = (name: string) => String(headers[`upstash-${name}`] ?? '');
  return {
    workflow: url.slice(1),
    role: roleOf(header),
    runId: header('workflow-runid'),
    messageId: header('message-id'),
    retried: Number(header('retried')),
    headers,
    body,
    status: 0,
  };
}

function roleOf(header: (name: string) => string): DeliveryRole {
  if (header('workflow-failure-callback') !== '') return 'failureCallback';
  if (header('workflow-callback') !== '') return 'callResult';
  return header('workflow-sdk-version') === '' ? 'first' : 'step';
}

function requestOf(
  base: string,
  { url = '', method = '', rawHeaders }: IncomingMessage,
  body: Buffer,
) {
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(new URL(url, base), { method, headers, ...(hasBody && { body }) });
}

function isSame(one: DeliveredEntry, other: DeliveredEntry): boolean {
  return one.messageId === other.messageId && one.body === other.body;
}

/** Steps that a list has twice; its first entry is no step. */
function repetitions(runId: string, entries: readonly DeliveredEntry[]): readonly string[] {
  const steps = entries.slice(1).map(({ body }) => {
    const { stepId, targetStep } = JSON.parse(Buffer.from(body, 'base64').toString());
    return `step ${stepId}, planned ${targetStep ?? 'none'}`;
  });
  const repeated = steps.filter((step, index) => steps.indexOf(step) < index);
  return repeated.map((step) => `${runId}: ${step} twice`);
}

function say({ messageId, body }: DeliveredEntry): string {
  return `${messageId} ${Buffer.from(body, 'base64').toString().slice(0, 200)}`;
}
