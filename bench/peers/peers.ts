/** Everything that can stand in the table; Stepwell is what the others are compared with. */
import { bare } from './bare/bare.peer.js';
import { bullmq } from './bullmq/bullmq.peer.js';
import { nats } from './nats/nats.peer.js';
import type { Peer } from './peer.js';
import { pgBoss } from './pg-boss/pg-boss.peer.js';
import { redisStreams } from './redis-streams/redis-streams.peer.js';
import { restate } from './restate/restate.peer.js';
import { stepwell, stepwellOnNewerNode } from './stepwell/stepwell.peer.js';

export const peers: readonly Peer[] = [
  stepwell,
  bare,
  restate,
  bullmq,
  pgBoss,
  nats,
  redisStreams,
  stepwellOnNewerNode,
];
