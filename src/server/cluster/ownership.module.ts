/** Wiring of what a cluster node may do only while it can prove that it is the owner. */
import { Inject, Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { Gates } from '../../messaging/gates/gates.js';
import { GatesModule } from '../../messaging/gates/gates.module.js';
import type { Membership } from './membership.js';
import { OwnershipGate } from './ownership-gate.js';

/** Does nothing on a server that is not a node. */
@Module({ imports: [GatesModule] })
export class OwnershipModule {
  constructor(
    gates: Gates,
    @Inject(provided.cluster) cluster: Membership | null,
    @Inject(provided.clock) clock: Clock,
  ) {
    if (cluster !== null) gates.add(new OwnershipGate(cluster, gates, clock));
  }
}
