/** A request at a fixed rate, whatever the answers do: how long one waits while others work. */
import { Pool } from 'undici';
import { machineTime } from '../measure/machine-time.js';

/** One request of a probe. */
export interface ProbeRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: Buffer;
}

export interface ProbeTarget {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  requestOf(number: number): ProbeRequest;
}

const connections = 16;

export class Probe {
  private readonly latencies: Promise<number>[] = [];
  private readonly pool: Pool;
  private readonly timer: NodeJS.Timeout;

  /** Sends one request every `everyMs` from now on. */
  constructor(
    private readonly target: ProbeTarget,
    everyMs: number,
  ) {
    this.pool = new Pool(target.origin, { connections });
    this.timer = setInterval(() => {
      const latency = this.ask(this.latencies.length);
      // `end` meets the error; until then it is not unhandled.
      latency.catch(() => undefined);
      this.latencies.push(latency);
    }, everyMs);
  }

  /** Sends no more; how long each request took, milliseconds. Rejects if one was refused. */
  async end(): Promise<readonly number[]> {
    clearInterval(this.timer);
    const latencies = await Promise.all(this.latencies);
    await this.pool.close();
    return latencies;
  }

  private async ask(number: number): Promise<number> {
    const { headers, requestOf } = this.target;
    const { method, path, body = null } = requestOf(number);
    const sentAt = machineTime();
    const response = await this.pool.request({ method, path, headers, body });
    const took = machineTime() - sentAt;
    await response.body.dump();
    if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}`);
    return took;
  }
}
