/** The commands of what is remembered of refused requests; their id is the address. */
import type { Command } from '../../engine/decider.js';
import type { RefusalsCounted, RequestRefused } from './refusal-record.events.js';

/** A request was refused. */
export interface RecordRefusal extends Command, Omit<RequestRefused, 'type'> {
  readonly type: 'RecordRefusal';
}

/** More were refused than are remembered one by one. */
export interface CountRefusals extends Command, Omit<RefusalsCounted, 'type'> {
  readonly type: 'CountRefusals';
}

/** Sent by `RefusalRecorder` alone. */
export type RefusalRecordCommand = RecordRefusal | CountRefusals;
