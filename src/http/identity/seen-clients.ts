/** Which published clients have sent requests since the start, by the names that they send. */

/** What the SDKs of Upstash send with a publish or trigger: `upstash-qstash-js@2.12.0`. */
export const clientHeader = 'upstash-telemetry-sdk';

const form = /^[\w.@/+-]{1,64}$/;

/** So many are remembered, the first ones. */
const clientsMax = 32;

/** A client and how many requests it has made. */
export interface SeenClient {
  readonly name: string;
  readonly requests: number;
}

/** One for the server, in memory; the console's overview shows it. */
export class SeenClients {
  private readonly counts = new Map<string, number>();

  /** Counts a request whose credential is known, and whose `clientHeader` is `name`. */
  count(name: string): void {
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
