/** Wiring of the streams of runs. */
import { Module, type OnModuleInit } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { ProcessLife, type Stoppable } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import { watchStreams } from '../../http/bytes/open-streams.js';
import { BearerTokens } from '../../http/identity/bearer-token.js';
import { RouteTable } from '../../http/routes/route-table.js';
import { messageKind } from '../../messaging/messages/message.events.js';
import { RunLogsModule } from '../logs/run-logs.module.js';
import { runKind } from '../run-state/run.events.js';
import { RunsModule } from '../runs/runs.module.js';
import { RunFollowers } from './run-followers.js';
import { RunStreamsController } from './run-streams.controller.js';
import { RunStreams } from './run-streams.js';
import { RunStreamRoute } from './run-streams.routes.js';
import { RunTokens } from './run-tokens.js';

/** Short, because streams end at once. */
const stopDeadlineMs = 1000;

/** The secrets from which the signing key of public tokens is derived. */
interface ServerSecrets {
  readonly tokens: readonly string[];
  readonly restPassword: string;
}

/** Ends its streams before the doors close, because the doors wait for every answer. */
@Module({
  imports: [RunLogsModule, RunsModule],
  controllers: [RunStreamsController],
  providers: [
    RunStreamRoute,
    RunFollowers,
    {
      provide: RunTokens,
      inject: [provided.credentials, provided.clock],
      useFactory: ({ tokens, restPassword }: ServerSecrets, clock: Clock) =>
        new RunTokens([...tokens, restPassword], () => clock.now()),
    },
    RunStreams,
  ],
})
export class RunStreamsModule implements OnModuleInit {
  constructor(
    private readonly streams: RunStreams,
    private readonly followers: RunFollowers,
    private readonly tokens: RunTokens,
    private readonly engine: Engine,
    private readonly life: ProcessLife,
    private readonly bearer: BearerTokens,
    table: RouteTable,
    route: RunStreamRoute,
    registry: Registry,
  ) {
    table.add(route);
    watchStreams(registry, 'run', () => streams.size);
  }

  onModuleInit(): void {
    const { listener, interest } = this.followers;
    this.engine.observe([runKind, messageKind], listener, interest);
    this.bearer.alsoAdmit((token, request) => this.tokens.bearer(token, request));
    const stoppable: Stoppable = {
      name: 'streams of runs',
      phase: 'doors',
      deadlineMs: stopDeadlineMs,
      stop: () => this.streams.stop(),
    };
    // Added after the doors, so that the streams stop first: the doors wait for every answer.
    const recover = async () => this.life.addStoppable(stoppable);
    this.life.addRecoverable({ name: stoppable.name, recover });
  }
}
