/** Which published clients have asked since the start, as they name themselves. */
import type { IncomingMessage } from 'node:http';

/** What the SDKs of Upstash send with a publish or trigger: `upstash-qstash-js@2.12.0`. */
const header = 'upstash-telemetry-sdk';

const form = /^[\w.@/+-]{1,64}$/;

/** So many are remembered, the first ones. */
const clientsMax = 32;

/** A client and how many requests it has made. */
export interface SeenClient {
  readonly name: string;
  readonly requests: number;
}

export class SeenClients {
  private readonly counts = new Map<string, number>();

  /** Counts a request whose credential is known. */
  count({ headers }: IncomingMessage): void {
    const name = headers[header];
    if (typeof name !== 'string') return;
    const before = this.counts.get(name);
    if (before !== undefined) this.counts.set(name, before + 1);
    else if (this.counts.size < clientsMax && form.test(name)) this.counts.set(name, 1);
  }

  /** By name. */
  get all(): readonly SeenClient[] {
    const names = [...this.counts.keys()].sort();
    return names.map((name) => ({ name, requests: this.counts.get(name) ?? 0 }));
  }
}
