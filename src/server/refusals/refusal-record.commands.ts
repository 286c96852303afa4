/** The commands that record refused requests; their id is the address. */
import type { Command } from '../../engine/decider.js';
import type { RefusalsCounted, RequestRefused } from './refusal-record.events.js';

/** Records one refused request. */
export interface RecordRefusal extends Command, Omit<RequestRefused, 'type'> {
  readonly type: 'RecordRefusal';
}

/** Records how many more were refused than are recorded individually. */
export interface CountRefusals extends Command, Omit<RefusalsCounted, 'type'> {
  readonly type: 'CountRefusals';
}

/** Sent only by `RefusalRecorder`. */
export type RefusalRecordCommand = RecordRefusal | CountRefusals;
