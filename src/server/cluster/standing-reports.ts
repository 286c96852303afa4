/** Tells the owner again and again where this node stands: it keeps what is still needed. */
import { type CallingNode, callNode } from '../../cluster/forwarding/node-call.js';
import type { Clock } from '../../engine/clock.js';
import type { NodeStanding } from './follower-places.js';

/** The path on the port for other nodes. */
export const standingPath = '/node/standing';

const everyMs = 5000;
const withinMs = 2000;

/** What a node reports. */
export interface ReportPorts {
  /** The address of the owner; null while none is known, or it is this node. */
  owner(): string | null;
  /** Where this node stands; null = it has nothing to say yet. */
  standing(): NodeStanding | null;
}

/** A follower has one, and reports every 5 s; an owner is silent. */
export class StandingReports {
  private cancel: () => void = () => undefined;
  private isOver = false;

  constructor(
    private readonly caller: CallingNode,
    private readonly clock: Clock,
    private readonly ports: ReportPorts,
  ) {}

  /** The first one goes out now. */
  start(): void {
    void this.report().then(() => {
      if (!this.isOver) this.cancel = this.clock.after(everyMs, () => this.start());
    });
  }

  /** No further report begins; one that is under way ends by itself within 2 s. */
  stop(): void {
    this.isOver = true;
    this.cancel();
  }

  /** One that is not heard is made up for by the next. */
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
