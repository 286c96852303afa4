/** Wiring of the way out: who may be called, how many at once, and the caller itself. */
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { allowedNetworks, type Config } from '../config.js';
import type { Clock } from '../engine/clock.js';
import { ProcessLife } from '../lifecycle/process-life.js';
import { Metrics } from '../metrics/metrics.js';
import { provided } from '../ports.js';
import { AddressGuard } from './address-guard.js';
import { ByteBudget } from './byte-budget.js';
import { CountingGate } from './counting-gate.js';
import { EndpointCaller } from './endpoint-caller.js';
import type { Endpoints } from './endpoints.js';
import { Gates } from './gates.js';

/** Outgoing bodies in memory at once, in bytes (decision 21). */
const bodyBytesMax = 128 * 1024 * 1024;

/** Closing connections takes no longer than this. */
const closeDeadlineMs = 2000;

@Global()
@Module({})
export class DeliveryModule {}

/** Attempts go to `endpoints`, or else out to the network. */
export function deliveryModule(endpoints: Endpoints | undefined): DynamicModule {
  const providers = [
    {
      provide: AddressGuard,
      inject: [provided.config],
      useFactory: (config: Config) => new AddressGuard(allowedNetworks(config)),
    },
    { provide: Gates, inject: [provided.config, Metrics], useFactory: gatesOf },
    {
      provide: provided.endpoints,
      inject: [provided.config, provided.clock, ProcessLife],
      useFactory: (config: Config, clock: Clock, life: ProcessLife) =>
        closedWith(life, endpoints ?? networkOf(config, clock)),
    },
  ];
  const exports = [AddressGuard, Gates, provided.endpoints];
  return { module: DeliveryModule, providers, exports };
}

function gatesOf({ originParallelism, globalParallelism }: Config, metrics: Metrics): Gates {
  const gates = new Gates([
    new CountingGate(originParallelism, ({ origin }) => origin),
    new ByteBudget(bodyBytesMax),
    new CountingGate(globalParallelism, null),
  ]);
  metrics.watchWaiting(() => gates.waiting);
  return gates;
}

function closedWith(life: ProcessLife, endpoints: Endpoints): Endpoints {
  life.addStoppable({
    name: 'connections out',
    phase: 'rest',
    deadlineMs: closeDeadlineMs,
    stop: () => endpoints.close(),
  });
  return endpoints;
}

function networkOf(config: Config, clock: Clock): EndpointCaller {
  return new EndpointCaller({
    clock,
    allowed: allowedNetworks(config),
    overrides: config.hostOverrides,
    originParallelism: config.originParallelism,
  });
}
