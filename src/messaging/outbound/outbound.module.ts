/** Wiring of the way out: what may be called, and the caller itself. */
import { networkInterfaces } from 'node:os';
import { type DynamicModule, Global, Inject, Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import type { MessagingSettings } from '../settings.js';
import { AddressGuard } from './address-guard.js';
import { EndpointCaller } from './endpoint-caller.js';
import type { Endpoints } from './endpoints.js';
import { OriginTraffic } from './origin-traffic.js';

/** Closing connections takes no longer than this. */
const closeDeadlineMs = 2000;

/**
 * Global: whatever calls a destination does it by what is provided here. It closes last in a stop.
 */
@Global()
@Module({})
class OutboundModule {
  constructor(@Inject(provided.endpoints) endpoints: Endpoints, life: ProcessLife) {
    life.addStoppable({
      name: 'connections out',
      phase: 'rest',
      deadlineMs: closeDeadlineMs,
      stop: () => endpoints.close(),
    });
  }
}

/** What a process makes attempts with, other than the usual. */
export interface OutboundPorts {
  /** Who makes attempts; without it the network. */
  readonly endpoints?: Endpoints;
  /** By which the network is waited for; without it the clock of the server. */
  readonly networkClock?: Clock;
  /** What stands before the endpoints, whichever they are. */
  readonly disturbs?: (endpoints: Endpoints) => Endpoints;
}

/** Over the network, unless `ports` bring other endpoints, as simulations do. */
export function outboundModule(ports: OutboundPorts): DynamicModule {
  const { endpoints, networkClock, disturbs = (usual) => usual } = ports;
  const providers = [
    {
      provide: AddressGuard,
      inject: [provided.config],
      useFactory: (config: MessagingSettings) =>
        new AddressGuard(config.allowedNetworks, ownAddresses()),
    },
    OriginTraffic,
    {
      provide: provided.endpoints,
      inject: [provided.config, provided.clock],
      useFactory: (config: MessagingSettings, clock: Clock) =>
        disturbs(endpoints ?? networkOf(config, networkClock ?? clock)),
    },
  ];
  const exports = [AddressGuard, OriginTraffic, provided.endpoints];
  return { module: OutboundModule, providers, exports };
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
