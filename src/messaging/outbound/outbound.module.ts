/** Wiring of the way out: who may be called, how many at once, and the caller itself. */
import { networkInterfaces } from 'node:os';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { gauge } from '../../engine/metrics/gauge.js';
import { provided } from '../../engine/provided.js';
import { CountingGate } from '../gates/counting-gate.js';
import type { Entrant } from '../gates/gate.js';
import { Gates } from '../gates/gates.js';
import { OriginGate } from '../gates/origin-gate.js';
import type { MessagingSettings } from '../settings.js';
import { AddressGuard } from './address-guard.js';
import { EndpointCaller } from './endpoint-caller.js';
import type { Endpoints } from './endpoints.js';

/** Great outgoing bodies in memory at once, in bytes (ADR 8): of all, and of one origin. */
const bodyBytesMax = 128 * 1024 * 1024;
const originBodyBytesMax = bodyBytesMax / 4;

/** A body up to this is not counted, so that it never waits for great ones: 1,000 are 16 MiB. */
const smallBodyBytesMax = 16 * 1024;

/** Closing connections takes no longer than this. */
const closeDeadlineMs = 2000;

@Global()
@Module({})
export class OutboundModule {}

/** Attempts go to `endpoints`, or else out to the network. */
export function outboundModule(endpoints: Endpoints | undefined): DynamicModule {
  const providers = [
    {
      provide: AddressGuard,
      inject: [provided.config],
      useFactory: (config: MessagingSettings) =>
        new AddressGuard(config.allowedNetworks, ownAddresses()),
    },
    { provide: Gates, inject: [provided.config, Registry], useFactory: gatesOf },
    {
      provide: provided.endpoints,
      inject: [provided.config, provided.clock, ProcessLife],
      useFactory: (config: MessagingSettings, clock: Clock, life: ProcessLife) =>
        closedWith(life, endpoints ?? networkOf(config, clock)),
    },
  ];
  const exports = [AddressGuard, Gates, provided.endpoints];
  return { module: OutboundModule, providers, exports };
}

function gatesOf(
  { originParallelism, globalParallelism }: MessagingSettings,
  registry: Registry,
): Gates {
  const gates = new Gates([
    new OriginGate(
      { attempts: originParallelism, places: globalParallelism, bytes: originBodyBytesMax },
      greatBodyBytes,
    ),
    new CountingGate(bodyBytesMax, greatBodyBytes),
    new CountingGate(globalParallelism),
  ]);
  const help = 'Attempts that wait for a limit.';
  gauge(registry, 'stepwell_waiting_attempts', help, () => gates.waiting);
  return gates;
}

const greatBodyBytes = ({ bodyBytes }: Entrant): number =>
  bodyBytes > smallBodyBytesMax ? bodyBytes : 0;

function closedWith(life: ProcessLife, endpoints: Endpoints): Endpoints {
  life.addStoppable({
    name: 'connections out',
    phase: 'rest',
    deadlineMs: closeDeadlineMs,
    stop: () => endpoints.close(),
  });
  return endpoints;
}

function networkOf(config: MessagingSettings, clock: Clock): EndpointCaller {
  return new EndpointCaller({
    clock,
    allowed: config.allowedNetworks,
    own: ownAddresses(),
    overrides: config.hostOverrides,
    originParallelism: config.originParallelism,
    connectionsMax: 2 * config.globalParallelism,
  });
}

/** As they are at the start: an interface that comes later is closed from the next start on. */
function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((interfaces = []) =>
    interfaces.map(({ address }) => address),
  );
}
