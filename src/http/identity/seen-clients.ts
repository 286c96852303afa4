/** Counts the published clients that have sent requests since the start, by the names they send. */

/** The header that Upstash SDKs send with a publish or trigger: `upstash-qstash-js@2.12.0`. */
export const clientHeader = 'upstash-telemetry-sdk';

const form = /^[\w.@/+-]{1,64}$/;

/** How many clients are remembered; later ones are not counted. */
const clientsMax = 32;

/** A client and its number of requests. */
export interface SeenClient {
  readonly name: string;
  readonly requests: number;
}

/** One instance per server, in memory; shown in the overview of the console. */
export class SeenClients {
  private readonly counts = new Map<string, number>();

  /** Counts a request with a known credential, whose `clientHeader` is `name`. */
  count(name: string): void {
    const before = this.counts.get(name);
    if (before !== undefined) this.counts.set(name, before + 1);
    else if (this.counts.size < clientsMax && form.test(name)) this.counts.set(name, 1);
  }

  /** All clients, in the order of their names. */
  get all(): readonly SeenClient[] {
    const names = [...this.counts.keys()].sort();
    return names.map((name) => ({ name, requests: this.counts.get(name) ?? 0 }));
  }
}
