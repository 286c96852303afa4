/** A destination that remembers every request as it came and answers as the test says. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordedRequest {
  readonly method: string;
  /** Path and query, as on the wire. */
  readonly url: string;
  /** Names in lower case; repeated ones joined by Node's rules. */
  readonly headers: IncomingMessage['headers'];
  /** Flat name, value pairs as on the wire. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Unix milliseconds, when the body had arrived. */
  readonly at: number;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

/** What to answer; a promise holds the request open. */
export type Script = (
  request: RecordedRequest,
  count: number,
) => Promise<ScriptedAnswer> | ScriptedAnswer;

export class RecordingEndpoint {
  readonly requests: RecordedRequest[] = [];
  /** Connections that were opened to it. */
  connections = 0;
  private script: (request: RecordedRequest) => ReturnType<Script> = () => ({});
  private readonly watchers = new Set<() => void>();

  private constructor(private readonly server: Server) {
    server.on('connection', () => {
      this.connections += 1;
    });
    server.on('request', (request, response) => void this.take(request, response));
  }

  /** Listens on a free port of the loopback interface. */
  static async start(script?: Script): Promise<RecordingEndpoint> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const endpoint = new RecordingEndpoint(server);
    if (script !== undefined) endpoint.answer(script);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return endpoint;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** From now on; `count` is 0 for the first request that is answered by the script. */
  answer(script: Script): void {
    const before = this.requests.length + 1;
    this.script = (request) => script(request, this.requests.length - before);
  }

  /** Answers with these in turn, and with the last one from then on. */
  answerInTurn(...answers: readonly ScriptedAnswer[]): void {
    this.answer((_request, count) => answers[Math.min(count, answers.length - 1)] ?? {});
  }

  /** Resolves when `count` requests have arrived in all, and gives them. */
  async received(count: number): Promise<readonly RecordedRequest[]> {
    while (this.requests.length < count) {
      await new Promise<void>((resolve) => {
        const watcher = () => {
          this.watchers.delete(watcher);
          resolve();
        };
        this.watchers.add(watcher);
      });
    }
    return this.requests;
  }

  /** Resolves when one more request has arrived. */
  async next(): Promise<void> {
    await this.received(this.requests.length + 1);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // the client went away in the middle: nothing to record
    }
    const recorded: RecordedRequest = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(chunks),
      at: Date.now(),
    };
    this.requests.push(recorded);
    for (const watcher of [...this.watchers]) watcher();
    const { status = 200, headers = {}, body = '' } = await this.script(recorded);
    response.writeHead(status, headers).end(body);
  }
}
