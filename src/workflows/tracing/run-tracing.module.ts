/** Wiring of the traces of runs: runs are observed if a collector is configured. */
import { Module } from '@nestjs/common';
import { TracingModule } from '../../messaging/tracing/tracing.module.js';
import { Runs } from '../runs/run.entity.js';
import { RunsModule } from '../runs/runs.module.js';
import { RunTraces } from './run-traces.js';

/** Without a collector, no run is observed. */
@Module({ imports: [RunsModule, TracingModule], providers: [RunTraces] })
export class RunTracingModule {
  constructor(runs: Runs, traces: RunTraces) {
    if (traces.isOn) runs.observe(traces.listener, traces.interest);
  }
}
