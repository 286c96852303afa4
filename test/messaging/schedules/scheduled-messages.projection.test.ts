import type { Checkpointed } from '../../../src/engine/decider.js';
import { TurnChanges } from '../../../src/engine/turn-changes.js';
import { type MessageEvent, messageKind } from '../../../src/messaging/messages/message.events.js';
import { scheduleDecider } from '../../../src/messaging/schedules/schedule.decider.js';
import {
  type ScheduleEvent,
  scheduleKind,
} from '../../../src/messaging/schedules/schedule.events.js';
import type { ScheduleState } from '../../../src/messaging/schedules/schedule.machine.js';
import { ScheduledMessages } from '../../../src/messaging/schedules/scheduled-messages.projection.js';
import { messageOptions } from '../../support/message-options.js';
import { scheduleDefinition } from '../../support/schedule-definition.js';

const ids = ['msg_a', 'msg_b', 'msg_c'];

function messages() {
  const fold = new ScheduledMessages();
  const changes = new TurnChanges();
  let state = scheduleDecider.initialState();
  let offset = 0;
  const happen = (kind: string, id: string, event: MessageEvent | ScheduleEvent | Checkpointed) => {
    const envelope = envelopeOf(kind, id, offset);
    fold.evolve({ ...envelope, event }, changes, state);
    offset += 1;
    return envelope;
  };
  const message = (id: string, type: string) => happen(messageKind, id, { type } as MessageEvent);
  const publish = (id: string, scheduleId: string | null = 'nightly') =>
    happen(messageKind, id, {
      type: 'MessagePublished',
      ...messageOptions({ scheduleId }),
    });
  const schedule = (event: ScheduleEvent) => {
    const envelope = happen(scheduleKind, 'nightly', event);
    state = scheduleDecider.evolve(state, event, { ...envelope, event });
  };
  const trigger = (...messageIds: string[]) =>
    schedule({ type: 'ScheduleTriggered', dueAt: 0, nextAt: 1, messageIds, error: null });
  /** Another trigger was in front of it, and was swept. */
  const checkpoint = (...messageIds: string[]) => {
    const context = { ...state.context, messageIds };
    const stored = scheduleDecider.stored?.toStored({ ...state, context } as ScheduleState);
    const event: Checkpointed = { type: 'Checkpointed', began: 0, state: stored, entries: [] };
    happen(scheduleKind, 'nightly', event);
  };
  schedule({ type: 'ScheduleCreated', nextAt: 0, ...scheduleDefinition({}) });
  return { fold, changes, message, publish, schedule, trigger, checkpoint };
}

const envelopeOf = (kind: string, id: string, offset: number) => ({
  kind,
  id,
  sequence: 0,
  at: 0,
  offset,
  previous: -1,
  by: null,
  body: null,
  byteLength: 0,
});

describe('the messages of schedules', () => {
  it('are in progress until they are final', () => {
    const { fold, message, publish, trigger } = messages();
    for (const id of ids) publish(id);
    trigger(...ids);
    message('msg_a', 'AttemptFailed');
    message('msg_b', 'MessageDelivered');
    message('msg_c', 'MessageFailed');
    expect(fold.states('nightly', ids)).toEqual({
      msg_a: 'IN_PROGRESS',
      msg_b: 'SUCCESS',
      msg_c: 'FAIL',
    });
    message('msg_a', 'MessageCanceled');
    expect(fold.states('nightly', ['msg_a'])).toEqual({ msg_a: 'FAIL' });
  });

  it('are pending by id, and others are unknown', () => {
    const { fold, message, publish } = messages();
    publish('msg_a');
    publish('msg_b', null);
    expect(ids.map((id) => fold.isPending(id))).toEqual([true, false, false]);
    message('msg_a', 'MessageDelivered');
    message('msg_b', 'MessageFailed');
    expect(fold.isPending('msg_a')).toBe(false);
    expect(fold).toEqual(messages().fold);
  });

  it('that failed are forgotten by the next trigger, and needed until then', () => {
    const { fold, message, publish, trigger } = messages();
    publish('msg_a');
    trigger('msg_a');
    message('msg_a', 'MessageFailed');
    expect([...fold.references()]).toEqual([3]);
    trigger();
    expect(fold).toEqual(messages().fold);
  });

  it('are remembered as failed where the last trigger published them, and only there', () => {
    const { fold, message, publish, trigger } = messages();
    for (const id of ['msg_a', 'msg_b']) publish(id);
    trigger('msg_a', 'msg_b');
    publish('msg_c');
    trigger('msg_c');
    message('msg_c', 'MessageFailed');
    const remembered = [...fold.references()];
    // One of an earlier trigger, and one that stands in for a dead letter.
    message('msg_a', 'MessageCanceled');
    publish('msg_d');
    message('msg_d', 'MessageFailed');
    expect([...fold.references()]).toEqual(remembered);
    expect(fold.states('nightly', ['msg_b', 'msg_c'])).toEqual({
      msg_b: 'IN_PROGRESS',
      msg_c: 'FAIL',
    });
  });

  it('are those of the last trigger behind a checkpoint, also where that was swept', () => {
    const { fold, message, publish, trigger, checkpoint } = messages();
    for (const id of ids) publish(id);
    trigger('msg_a', 'msg_b');
    checkpoint('msg_c');
    for (const id of ids) message(id, 'MessageFailed');
    expect(fold.states('nightly', ids)).toMatchObject({ msg_c: 'FAIL' });
    expect([...fold.references()]).toHaveLength(1);
  });

  it('that failed are forgotten with their schedule, also those that fail later', () => {
    const { fold, message, publish, schedule, trigger } = messages();
    publish('msg_a');
    publish('msg_b');
    trigger('msg_a', 'msg_b');
    message('msg_a', 'MessageFailed');
    schedule({ type: 'ScheduleDeleted' });
    message('msg_b', 'MessageFailed');
    expect(fold).toEqual(new ScheduledMessages());
  });

  it('are what they were, when a turn is taken back', () => {
    const { fold, changes, message, publish, trigger } = messages();
    publish('msg_a');
    publish('msg_b');
    trigger('msg_a', 'msg_b');
    message('msg_b', 'MessageFailed');
    changes.keep();
    const before = fold.states('nightly', ['msg_a', 'msg_b']);
    message('msg_a', 'MessageFailed');
    publish('msg_c');
    trigger('msg_c');
    changes.revert();
    expect(fold.states('nightly', ['msg_a', 'msg_b'])).toEqual(before);
    expect(fold.isPending('msg_c')).toBe(false);
  });
});
