/** Wiring of outgoing calls: the guard of destinations, and the caller itself. */
import { networkInterfaces } from 'node:os';
import { type DynamicModule, Global, Inject, Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import type { MessagingSettings } from '../settings.js';
import { AddressGuard } from './address-guard.js';
import { EndpointCaller } from './endpoint-caller.js';
import type { Endpoints } from './endpoints.js';
import { LookUps } from './look-ups.js';
import { OriginTraffic } from './origin-traffic.js';

/** Closing connections takes no longer than this. */
const closeDeadlineMs = 2000;

/**
 * A global module: everything that calls a destination uses what is provided here. It closes last
 * in a stop.
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

/** Replacements for the usual way to make attempts. */
export interface OutboundPorts {
  /** Makes the attempts; absent = the network. */
  readonly endpoints?: Endpoints;
  /** The clock for waits on the network; absent = the clock of the server. */
  readonly networkClock?: Clock;
  /** Wraps the endpoints, whichever they are. */
  readonly disturbs?: (endpoints: Endpoints) => Endpoints;
}

/**
 * The module of outgoing calls: over the network, unless `ports` bring other endpoints, as
 * simulations do.
 */
export function outboundModule(ports: OutboundPorts): DynamicModule {
  const { endpoints, networkClock, disturbs = (usual) => usual } = ports;
  const providers = [
    {
      provide: AddressGuard,
      inject: [provided.config],
      useFactory: (config: MessagingSettings) =>
        new AddressGuard(config.allowedNetworks, ownAddresses()),
    },
    { provide: LookUps, useFactory: () => new LookUps() },
    OriginTraffic,
    {
      provide: provided.endpoints,
      inject: [provided.config, provided.clock, LookUps],
      useFactory: (config: MessagingSettings, clock: Clock, lookUps: LookUps) =>
        disturbs(endpoints ?? networkOf(config, networkClock ?? clock, lookUps)),
    },
  ];
  const exports = [AddressGuard, LookUps, OriginTraffic, provided.endpoints];
  return { module: OutboundModule, providers, exports };
}

function networkOf(config: MessagingSettings, clock: Clock, lookUps: LookUps): EndpointCaller {
  return new EndpointCaller({
    clock,
    allowed: config.allowedNetworks,
    own: ownAddresses(),
    overrides: config.hostOverrides,
    originParallelism: config.originParallelism,
    answerBytesMax: Math.max(config.maxBodyBytes, config.answerBytesMax),
    connectionsMax: 2 * config.globalParallelism,
    resolve: lookUps.resolve,
  });
}

/** The addresses at the start: an interface that is added later is closed only after a restart. */
function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((interfaces = []) =>
    interfaces.map(({ address }) => address),
  );
}
