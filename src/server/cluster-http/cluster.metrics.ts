/** Metrics of a cluster node. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Forwarded } from '../../cluster/forwarding/forwarder.js';
import { gauge } from '../../engine/metrics/gauge.js';
import type { ClusterRole, ClusterStatus, Membership } from '../cluster/membership.js';

const roles: readonly ClusterRole[] = ['follower', 'taking', 'owner'];

/** Registered on every server, so that dashboards find the same names everywhere. */
export class ClusterMetrics {
  readonly #forwarded: Counter;
  #heldBytes: () => number = () => 0;

  /** If `membership` is null, the server is not a node: all values are 0, and it has no role. */
  constructor(registry: Registry, membership: Pick<Membership, 'status'> | null) {
    const value = (read: (status: ClusterStatus) => number) => () =>
      membership === null ? 0 : read(membership.status);
    const add = (name: string, help: string, read: () => number) =>
      gauge(registry, `stepwell_cluster_${name}`, help, read);
    new Gauge({
      name: 'stepwell_cluster_role',
      help: 'Whether this cluster node has the role; no values outside of a cluster.',
      labelNames: ['role'],
      registers: [registry],
      collect() {
        if (membership === null) return;
        for (const role of roles) this.set({ role }, membership.status.role === role ? 1 : 0);
      },
    });
    addFollowers(registry, membership);
    add(
      'epoch',
      'Epoch of the shared log: the number of owners that it has had.',
      value(({ epoch }) => epoch),
    );
    add(
      'place',
      'Place up to which this node has read the shared log.',
      value(({ place }) => place),
    );
    add(
      'sequence',
      'The last batch of the shared log that this node has read.',
      value(({ sequence }) => sequence),
    );
    add(
      'applied_sequence',
      'The last batch of the shared log that this node holds in its folder and memory.',
      value(({ appliedSequence }) => appliedSequence),
    );
    add(
      'heard_seconds',
      'Time since the owner of the shared log was last heard.',
      value(({ heardMsAgo }) => heardMsAgo / 1000),
    );
    add(
      'clock_skew_seconds',
      'How far the clock of this node is ahead of that of the shared log.',
      value(({ clockSkewMs }) => (clockSkewMs ?? 0) / 1000),
    );
    add(
      'commit_seconds',
      'Duration of the last append to the shared log; 0 on a follower.',
      value(({ commitMs }) => (commitMs ?? 0) / 1000),
    );
    add('held_bytes', 'Bytes of request bodies held until the owner answers.', () =>
      this.#heldBytes(),
    );
    this.#forwarded = new Counter({
      name: 'stepwell_cluster_forwarded_requests_total',
      help: 'Requests that this node forwarded to the owner, by result.',
      labelNames: ['result'],
      registers: [registry],
    });
  }

  /** `read` returns how many bytes are held. Called once only. */
  watchHeld(read: () => number): void {
    this.#heldBytes = read;
  }

  /** Called when a request that was to be forwarded has ended with this result. */
  ended(result: Forwarded['kind']): void {
    this.#forwarded.inc({ result });
  }
}

function addFollowers(registry: Registry, membership: Pick<Membership, 'status'> | null): void {
  new Gauge({
    name: 'stepwell_cluster_follower_behind',
    help: 'Entries of the shared log that a follower lacked when it last reported.',
    labelNames: ['node'],
    registers: [registry],
    collect() {
      // Drops the values of nodes that no longer count; on a follower, those of all nodes.
      this.reset();
      for (const { node, behind } of membership?.status.followers ?? []) this.set({ node }, behind);
    },
  });
}
