/** Wiring of the records of refused requests. */
import { Module } from '@nestjs/common';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { RefusedRequests } from '../inbound/refused-requests.js';
import { RefusalRecords } from './refusal-record.entity.js';
import { RefusalRecorder } from './refusal-recorder.js';

const stopDeadlineMs = 1000;

/**
 * Nothing is recorded before the whole journal is folded, nor while another node owns it; a stop
 * records what is counted by then.
 */
@Module({ providers: [RefusalRecords, RefusalRecorder] })
export class RefusalsModule {
  constructor(refused: RefusedRequests, recorder: RefusalRecorder, life: ProcessLife) {
    life.addRecoverable({
      name: 'refused requests',
      changes: true,
      recover: async () => refused.follow(recorder.record),
    });
    life.addStoppable({
      name: 'refused requests',
      phase: 'doors',
      deadlineMs: stopDeadlineMs,
      stop: () => recorder.stop(),
    });
  }
}
