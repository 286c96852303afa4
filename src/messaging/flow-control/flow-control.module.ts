/** Wiring of flow control: the keys, their gate, and the routes for operators. */
import { Module } from '@nestjs/common';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { Gates } from '../gates/gates.js';
import { GatesModule } from '../gates/gates.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { FlowControlController } from './flow-control.controller.js';
import { FlowControls } from './flow-control.entity.js';
import { FlowControlGate } from './flow-control-gate.js';
import { GlobalParallelismController } from './global-parallelism.controller.js';
import { KeySweep } from './key-sweep.js';

/** Deadline for stopping the gate, which waits for nothing. */
const stopDeadlineMs = 1000;

/** Adds its gate to the gates that each attempt passes (`Gates`). */
@Module({
  imports: [GatesModule, MessagesModule],
  controllers: [FlowControlController, GlobalParallelismController],
  providers: [FlowControlGate, FlowControls, KeySweep],
  exports: [FlowControlGate, FlowControls],
})
export class FlowControlModule {
  constructor(
    keys: FlowControls,
    gate: FlowControlGate,
    sweep: KeySweep,
    gates: Gates,
    life: ProcessLife,
  ) {
    keys.observe(gate.listener);
    keys.observe(sweep.listener);
    gates.add(gate);
    life.addRecoverable({
      name: 'idle flow-control keys',
      changes: true,
      recover: async () => sweep.start(),
    });
    life.addStoppable({
      name: 'flow control',
      phase: 'doors',
      deadlineMs: stopDeadlineMs,
      stop: () => {
        sweep.stop();
        gate.stop();
      },
    });
  }
}
