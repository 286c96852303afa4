/** The place of a message in a run; a test names what it is about. */
import type { RunPlace } from '../../../src/messaging/messages/message.events.js';

export function runPlace(changes: Partial<RunPlace> = {}): RunPlace {
  return {
    runId: 'wfr_1',
    url: 'https://example.com/workflow',
    createdAt: 1000,
    role: 'step',
    entry: 0,
    answerCheck: 'protocol',
    startedOffset: 0,
    configurationOffset: 0,
    eventOffset: 0,
    ...changes,
  };
}
