/** Wiring of the gates that all attempts share. */
import { Inject, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { gauge } from '../../engine/metrics/gauge.js';
import { provided } from '../../engine/provided.js';
import type { MessagingSettings } from '../settings.js';
import { CountingGate } from './counting-gate.js';
import { FairGate } from './fair-gate.js';
import { largeBodyBytes } from './gate.js';
import { Gates } from './gates.js';

/** Bytes of large outgoing bodies in memory (ADR 8): in all, of one origin, of one domain. */
const bodyBytesMax = 128 * 1024 * 1024;
const originBodyBytesMax = bodyBytesMax / 4;
const domainBodyBytesMax = bodyBytesMax / 2;

/**
 * The limits of origins, of domains and of all attempts; queues, keys and pauses add their gates
 * from their own modules.
 */
@Module({ providers: [Gates], exports: [Gates] })
export class GatesModule {
  constructor(
    gates: Gates,
    registry: Registry,
    @Inject(provided.config) { originParallelism, globalParallelism }: MessagingSettings,
  ) {
    const places = globalParallelism;
    const ofOrigin = { attempts: originParallelism, places, bytes: originBodyBytesMax };
    const ofDomain = { attempts: places, places, bytes: domainBodyBytesMax };
    gates.add(
      new FairGate('origin', ofOrigin, largeBodyBytes),
      new FairGate('domain', ofDomain, largeBodyBytes),
      new CountingGate('bodyBytes', bodyBytesMax, largeBodyBytes),
      new CountingGate('attempts', globalParallelism),
    );
    const help = 'Attempts that wait for a limit.';
    gauge(registry, 'stepwell_waiting_attempts', help, () => gates.waiting);
    const queues = 'Queues in which attempts wait for a free slot.';
    gauge(registry, 'stepwell_blocked_queues', queues, () => gates.blockedAt('queue'));
    const keys = 'Flow-control keys under which attempts wait.';
    gauge(registry, 'stepwell_blocked_flow_control_keys', keys, () =>
      gates.blockedAt('flowControl'),
    );
  }
}
