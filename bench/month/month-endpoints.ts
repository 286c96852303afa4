/**
 * The destinations of a simulated month, in the place of the network: they answer at once, and what
 * their path says: `/ok`, `/flaky` (the first attempt fails), `/dead` (never again), `/run` (a
 * workflow).
 */
import type { Clock } from '../../src/engine/clock.js';
import type {
  AttemptOutcome,
  OutgoingAttempt,
} from '../../src/messaging/outbound/attempt-outcome.js';
import type { Endpoints } from '../../src/messaging/outbound/endpoints.js';
import { RunRequests, readDelivery, workflowHeaders } from '../programs/workflow-protocol.js';

export const origin = 'https://example.com';
export const runEndpoint = `${origin}/run`;

/** Of runs that sleep in their second step. */
const sleepFor = '1d';

type Fields = Readonly<Record<string, string>>;

const never = { 'upstash-nonretryable-error': 'true' };
const noBody = Buffer.alloc(0);

interface Answer {
  readonly status: number;
  readonly headers?: Fields;
}

export class MonthEndpoints implements Endpoints {
  /** Attempts that are under way. */
  open = 0;
  /** Attempts that were made. */
  calls = 0;
  private requests: RunRequests | null = null;

  constructor(private readonly clock: Clock) {}

  /** Runs ask the server that listens there. */
  serve(url: string): RunRequests {
    this.requests = new RunRequests(url, runEndpoint);
    return this.requests;
  }

  async call(attempt: OutgoingAttempt): Promise<AttemptOutcome> {
    const startedAt = this.clock.now();
    this.open += 1;
    this.calls += 1;
    const { status, headers = {} } = await this.answer(attempt);
    this.open -= 1;
    return {
      status,
      headers: Object.entries(headers).flat(),
      body: noBody,
      bodyTruncated: false,
      error: null,
      startedAt,
      durationMs: 1,
      cut: false,
    };
  }

  async close(): Promise<void> {}

  private async answer(attempt: OutgoingAttempt): Promise<Answer> {
    const headers = fieldsOf(attempt.headers);
    switch (new URL(attempt.url).pathname) {
      case '/run':
        return this.proceed(headers, attempt.body ?? noBody);
      case '/dead':
        return { status: 489, headers: never };
      case '/flaky':
        return { status: headers['upstash-retried'] === '0' ? 500 : 200 };
      default:
        return { status: 200 };
    }
  }

  /** What is next in a run; its id says what its second step is. */
  private async proceed(headers: Fields, body: Buffer): Promise<Answer> {
    const { requests } = this;
    if (requests === null) throw new Error('a run was called before the server was there');
    const { runId, done } = readDelivery(headers, body);
    const kind = runId.slice(runId.lastIndexOf('-') + 1);
    if (done === 0) {
      await requests.step(runId, 1, { stepName: 'look', stepType: 'Run', out: '"seen"' });
    } else if (done === 2 || kind === 'invoked') await requests.end(runId);
    else if (kind === 'fails') return { status: 489, headers: never };
    else if (kind === 'waits') await requests.wait(runId, 2, `go-${runId}`);
    else if (kind === 'invokes') await requests.invoke(runId, 2, `${runId}-invoked`);
    else {
      const fields = { stepName: 'sleep', stepType: 'SleepFor', sleepFor };
      await requests.step(runId, 2, fields, { delay: sleepFor });
    }
    return { status: 200, headers: workflowHeaders };
  }
}

function fieldsOf(headers: readonly string[]): Fields {
  const fields: Record<string, string> = {};
  for (let index = 0; index + 1 < headers.length; index += 2) {
    fields[headers[index]?.toLowerCase() ?? ''] = headers[index + 1] ?? '';
  }
  return fields;
}
