/** A workflow of five steps, as an application serves it: what its two kinds have in common. */
import type { IncomingHttpHeaders } from 'node:http';

/** Steps of every run. */
export const steps = 5;

/** What a run asks of the server: its start, a submission for each step, its end. */
export const requestsEach = steps + 2;

/** How often the server calls the application for a run: to begin, and after each step. */
export const deliveriesEach = steps + 1;

export interface DeliveryAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The run has no step left, and the server knows. */
  readonly isEnd: boolean;
}

export interface WorkflowApplication {
  /** Has the server start the run `wfr_<name>`; settles when it says that it has. */
  start(name: string): Promise<void>;
  /** Does what is next in a run. Rejects if the server refuses any of it. */
  deliver(headers: IncomingHttpHeaders, body: Buffer): Promise<DeliveryAnswer>;
}
