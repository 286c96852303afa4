/**
 * The whole server over a simulated disk, clock and world, without a port: it can die at any
 * fdatasync and come back on what the disk kept.
 */
import type { INestApplicationContext, Type } from '@nestjs/common';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Engine } from '../../src/engine/engine.js';
import { identifiersFrom } from '../../src/engine/identifiers.js';
import { Journal } from '../../src/engine/journal.js';
import { ProcessLife } from '../../src/engine/lifecycle/process-life.js';
import { BasicCredentials } from '../../src/http/identity/basic-auth.js';
import { BearerTokens } from '../../src/http/identity/bearer-token.js';
import { InboundMetrics } from '../../src/http/inbound.metrics.js';
import { applicationModule } from '../../src/server/app.module.js';
import { readConfiguration } from '../../src/server/configuration/config.js';
import { openCredentials } from '../../src/server/credentials/credentials.js';
import { createHttpServer } from '../../src/server/http-server.js';
import { InboundConnections } from '../../src/server/inbound/connections.js';
import { CredentialWatch } from '../../src/server/inbound/credential-watch.js';
import type { Shared } from '../../src/server/shared.js';
import { EventsService } from '../../src/workflows/events/events.service.js';
import { RunRevivals } from '../../src/workflows/failed-runs/run-revivals.js';
import { ManualClock } from '../support/manual-clock.js';
import type { Past } from './past.js';
import { SeededRandom } from './seeded-random.js';
import { type CrashPolicy, crashPolicies, SimulatedDisk } from './simulated-disk.js';
import type { SimulatedWorld } from './simulated-endpoints.js';

const kilobyte = 1024;

/** So short that the journal is swept, many times a day, of what that day has brought. */
const logRetention = '20s';

export interface LifeOptions {
  /** Its journal is swept, and this remembers what it has held. */
  readonly past?: Past;
  /** As many states of a kind are live, others are packed; without it none is. */
  readonly liveStates?: number;
}

/** One life of the server: from its start to its death. */
export class SimulatedServer {
  private constructor(
    readonly engine: Engine,
    readonly journal: Journal,
    readonly events: EventsService,
    readonly revivals: RunRevivals,
    private readonly nest: INestApplicationContext,
    readonly clock: ManualClock,
    readonly disk: SimulatedDisk,
    /** Invariants that broke, turns that threw, and whatever was worth a warning. */
    readonly failures: unknown[],
  ) {}

  static async start(
    disk: SimulatedDisk,
    world: SimulatedWorld,
    startsAt: number,
    seed: number,
    { past, liveStates }: LifeOptions = {},
  ): Promise<SimulatedServer> {
    const random = new SeededRandom(seed);
    const clock = new ManualClock(startsAt);
    const failures: unknown[] = [];
    const { config } = readConfiguration({
      STEPWELL_DATA_DIR: '/data',
      STEPWELL_LOG_LEVEL: 'fatal',
      STEPWELL_JOURNAL_RETENTION: past === undefined ? 'forever' : 'sweep',
      STEPWELL_LOG_RETENTION: logRetention,
    });
    const identifiers = identifiersFrom((length) => random.bytes(length));
    // Clocks leap here on purpose, which retention warns of.
    const isExpected = (line: string) => line.includes('the clock jumped ahead');
    const write = (line: string) => void (isExpected(line) || failures.push(line));
    const log = pino({ level: 'warn' }, { write });
    await disk.makeDirectory(config.dataDirectory);
    await disk.syncDirectory('/');
    const { credentials } = await openCredentials(config, disk, identifiers);
    const life = new ProcessLife(clock, log);
    const registry = new Registry();
    const inbound = new InboundMetrics(registry);
    const shared: Shared = {
      config,
      credentials,
      life,
      registry,
      inbound,
      bearer: new BearerTokens(credentials.tokens, credentials.readTokens),
      basic: new BasicCredentials(credentials.restUsername, credentials.restPassword),
      openPast: null,
      cluster: null,
      membership: null,
      tracer: null,
      ports: {
        clock,
        identifiers,
        disk,
        log,
        endpoints: world.endpoints(clock),
        fileSizes: { segmentBytes: 8 * kilobyte, reserveBytes: 0 },
        ...(liveStates !== undefined && { streamSizes: { liveStates } }),
        fatal: (error) => failures.push(error),
      },
    };
    const nest = await createHttpServer(
      shared,
      new InboundConnections(
        { connections: 1, connectionsPerAddress: 1 },
        { clock, log, metrics: inbound },
      ),
      applicationModule,
    );
    // No client connects, and a timer of the machine's clock would keep each life in memory.
    nest.get(CredentialWatch, { strict: false }).stop();
    const engine = nest.get(Engine);
    const journal = nest.get(Journal);
    await past?.begin(engine, journal);
    await life.recover();
    const events = nest.get(EventsService, { strict: false });
    const revivals = nest.get(RunRevivals, { strict: false });
    return new SimulatedServer(engine, journal, events, revivals, nest, clock, disk, failures);
  }

  /** What the server is made of. */
  provided<Provided>(type: Type<Provided>): Provided {
    return this.nest.get(type, { strict: false });
  }

  /** Lets `durationMs` pass, event by event; stops early when `isOver` says so. */
  async pass(durationMs: number, isOver: () => boolean = () => false): Promise<void> {
    const until = this.clock.now() + durationMs;
    await settled();
    while (!isOver()) {
      const next = this.clock.nextDue();
      if (next === null || next > until) break;
      this.clock.advance(Math.max(0, next - this.clock.now()));
      await settled();
    }
    if (!isOver()) this.clock.advance(Math.max(0, until - this.clock.now()));
    await settled();
  }

  /** Time passes at once; what is due on the way happens, and its consequences at the end. */
  async leap(durationMs: number): Promise<void> {
    this.clock.advance(durationMs);
    await settled();
  }
}

/** Everything that waits for no timer has happened: commits, answers, effects. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A power cut at the `nth` change of the disk from now; `image` is what it leaves. */
export class PlannedCrash {
  image: SimulatedDisk | null = null;
  private changes = 0;

  constructor(disk: SimulatedDisk, random: SeededRandom, nth: number) {
    const policy: CrashPolicy = random.pick(crashPolicies);
    const seed = random.below(2 ** 31);
    disk.afterChange = () => {
      this.changes += 1;
      if (this.changes === nth) this.image = disk.crash(policy, seed);
    };
  }

  get hasHappened(): boolean {
    return this.image !== null;
  }
}
