/** Wiring of flow control: the keys, their gate, and the routes of operators. */
import { Module } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import { Gates } from '../gates/gates.js';
import { GatesModule } from '../gates/gates.module.js';
import { messageKind } from '../messages/message.events.js';
import { flowControlKind } from './flow-control.commands.js';
import { FlowControlController } from './flow-control.controller.js';
import { flowControlDecider } from './flow-control.decider.js';
import { FlowControlGate } from './flow-control-gate.js';
import { GlobalParallelismController } from './global-parallelism.controller.js';
import { keyNamedBy } from './key-naming.policy.js';
import { KeySweep } from './key-sweep.js';
import { KeyUsage } from './key-usage.projection.js';

/** Stopping the gate waits for nothing. */
const stopDeadlineMs = 1000;

@Module({
  imports: [GatesModule],
  controllers: [FlowControlController, GlobalParallelismController],
  providers: [
    {
      provide: FlowControlGate,
      inject: [Engine, Gates, ProcessLife, provided.clock],
      useFactory: flowControlGate,
    },
  ],
})
export class FlowControlModule {}

function flowControlGate(
  engine: Engine,
  gates: Gates,
  life: ProcessLife,
  clock: Clock,
): FlowControlGate {
  const usage = new KeyUsage();
  engine.register({ decider: flowControlDecider, view: usage, folds: [] });
  engine.follow(messageKind, usage);
  engine.reactTo(messageKind, keyNamedBy);
  const gate = new FlowControlGate(engine, gates, clock);
  gates.add(gate);
  engine.observe([flowControlKind], gate.listener);
  const sweep = new KeySweep(engine, gate, clock);
  engine.observe([flowControlKind], sweep.listener);
  life.addStoppable({
    name: 'flow control',
    phase: 'doors',
    deadlineMs: stopDeadlineMs,
    stop: () => {
      sweep.stop();
      gate.stop();
    },
  });
  return gate;
}
