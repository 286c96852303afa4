/** Requests to a server that may be dead, starting or full just now. */
import { basic, token } from '../support/program/server-process.js';

/** What was answered, where it was a success; null = it was refused for now, or cut off. */
export type Acknowledgement = { readonly body: unknown } | null;

type Headers = Readonly<Record<string, string>>;

/** Of a server that starts, stops or has a full disk. */
const passing: ReadonlySet<number> = new Set([503, 507]);

export class Clients {
  /** Answers that no server may give to these requests. */
  readonly failures: string[] = [];
  acknowledged = 0;
  refused = 0;
  readonly bearer = `Bearer ${token}`;

  constructor(readonly url: string) {}

  /** Anything but a success or a passing refusal is a failure of the test. */
  async ask(
    method: string,
    path: string,
    body: string | object | undefined = undefined,
    headers: Headers = {},
  ): Promise<Acknowledgement> {
    const answer = await this.try(method, path, body, headers);
    if (answer === null || answer.status < 300) return answer;
    this.failures.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return null;
  }

  /** As `ask`, for a request that may be refused for good: its status is returned. */
  async try(
    method: string,
    path: string,
    body: string | object | undefined = undefined,
    headers: Headers = {},
  ): Promise<{ readonly status: number; readonly body: unknown } | null> {
    const authorization = path.startsWith('/v2/') ? this.bearer : basic;
    try {
      const response = await fetch(`${this.url}${path}`, {
        method,
        headers: { authorization, ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      if (passing.has(response.status)) {
        this.refused += 1;
        return null;
      }
      if (response.ok) this.acknowledged += 1;
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    } catch {
      // The server is gone, and has said nothing.
      return null;
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
