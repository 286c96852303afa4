import { TurnChanges } from '../../../src/engine/turn-changes.js';
import { type MessageEvent, messageKind } from '../../../src/messaging/messages/message.events.js';
import {
  type ScheduleEvent,
  scheduleKind,
} from '../../../src/messaging/schedules/schedule.events.js';
import { ScheduledMessages } from '../../../src/messaging/schedules/scheduled-messages.projection.js';
import { messageOptions } from '../../support/message-options.js';

const ids = ['msg_a', 'msg_b', 'msg_c'];

function messages() {
  const fold = new ScheduledMessages();
  const changes = new TurnChanges();
  const happen = (kind: string, id: string, event: MessageEvent | ScheduleEvent) =>
    fold.evolve(
      {
        kind,
        id,
        sequence: 0,
        at: 0,
        offset: 0,
        previous: -1,
        by: null,
        event,
        body: null,
        byteLength: 0,
      },
      changes,
    );
  const message = (id: string, type: string) => happen(messageKind, id, { type } as MessageEvent);
  const publish = (id: string, scheduleId: string | null = 'nightly') =>
    happen(messageKind, id, {
      type: 'MessagePublished',
      ...messageOptions({ scheduleId }),
    });
  const schedule = (type: string) => happen(scheduleKind, 'nightly', { type } as ScheduleEvent);
  schedule('ScheduleCreated');
  return { fold, changes, message, publish, schedule };
}

describe('the messages of schedules', () => {
  it('are in progress until they are final', () => {
    const { fold, message, publish } = messages();
    for (const id of ids) publish(id);
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

  it('that failed are kept until the next trigger', () => {
    const { fold, message, publish, schedule } = messages();
    publish('msg_a');
    message('msg_a', 'MessageFailed');
    expect([...fold.references()]).toEqual([0]);
    schedule('ScheduleTriggered');
    expect(fold).toEqual(messages().fold);
  });

  it('that failed are forgotten with their schedule, even those that fail later', () => {
    const { fold, message, publish, schedule } = messages();
    publish('msg_a');
    publish('msg_b');
    message('msg_a', 'MessageFailed');
    schedule('ScheduleDeleted');
    message('msg_b', 'MessageFailed');
    expect(fold).toEqual(new ScheduledMessages());
  });

  it('are unchanged when a turn is rolled back', () => {
    const { fold, changes, message, publish } = messages();
    publish('msg_a');
    publish('msg_b');
    message('msg_b', 'MessageFailed');
    changes.keep();
    const before = fold.states('nightly', ['msg_a', 'msg_b']);
    message('msg_a', 'MessageFailed');
    publish('msg_c');
    changes.revert();
    expect(fold.states('nightly', ['msg_a', 'msg_b'])).toEqual(before);
    expect(fold.isPending('msg_c')).toBe(false);
  });
});
