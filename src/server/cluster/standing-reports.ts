/** Regularly reports this node's place to the owner, which keeps what this node still needs. */
import { type CallingNode, callNode } from '../../cluster/forwarding/node-call.js';
import type { Clock } from '../../engine/clock.js';
import type { NodeStanding } from './follower-places.js';

/** The path on the port for other nodes. */
export const standingPath = '/node/standing';

const everyMs = 5000;
const withinMs = 2000;

/** Where a node gets its reports from. */
export interface ReportPorts {
  /** The address of the owner; null while none is known, or if it is this node. */
  owner(): string | null;
  /** What this node reports; null if it has nothing to report yet. */
  standing(): NodeStanding | null;
}

/** A follower has one, and reports every 5 s; an owner does not report. */
export class StandingReports {
  private cancel: () => void = () => undefined;
  private isOver = false;

  constructor(
    private readonly caller: CallingNode,
    private readonly clock: Clock,
    private readonly ports: ReportPorts,
  ) {}

  /** Sends the first report now. */
  start(): void {
    void this.report().then(() => {
      if (!this.isOver) this.cancel = this.clock.after(everyMs, () => this.start());
    });
  }

  /** Starts no further report; one in flight ends by itself within 2 s. */
  stop(): void {
    this.isOver = true;
    this.cancel();
  }

  /** If a report gets lost, the next one makes up for it. */
  private async report(): Promise<void> {
    const origin = this.ports.owner();
    const standing = this.ports.standing();
    if (origin === null || standing === null) return;
    const body = Buffer.from(JSON.stringify(standing));
    const call = { origin, path: standingPath, body, withinMs };
    await callNode(this.caller, call)
      .then((answer) => answer.body.dump())
      .catch(() => undefined);
  }
}
