import { TurnChanges } from '../../../src/engine/turn-changes.js';
import { type RunEvent, runKind } from '../../../src/workflows/run-state/run.events.js';
import { LatestNotification } from '../../../src/workflows/runs/latest-notification.projection.js';
import { envelope } from '../../support/envelope.js';
import { stepInfo } from '../../support/workflows/run-commands.js';

const released = (notificationId: string | null, offset: number, body: string | null) =>
  envelope<RunEvent>(
    {
      type: 'WaitEnded',
      step: stepInfo(1),
      eventId: 'paid',
      messageId: 'msg_1',
      isTimeout: notificationId === null,
      notificationId,
      notificationOffset: null,
      bytes: 1,
    },
    { kind: runKind, id: 'wfr_1', offset, body: body === null ? null : Buffer.from(body) },
  );

describe('the bytes of a notification', () => {
  it('are stored with the event that brought them, not with those that share them', () => {
    const latest = new LatestNotification();
    expect(latest.offsetOf('ntf_1')).toBeNull();
    latest.evolve(released('ntf_1', 7, 'data'), new TurnChanges());
    latest.evolve(released('ntf_1', 8, null), new TurnChanges());
    latest.evolve(released(null, 9, null), new TurnChanges());
    expect(latest.offsetOf('ntf_1')).toBe(7);
    expect(latest.offsetOf('ntf_2')).toBeNull();
  });

  it('are replaced by those of the next notification, unless its turn is rolled back', () => {
    const latest = new LatestNotification();
    latest.evolve(released('ntf_1', 7, 'data'), new TurnChanges());
    const changes = new TurnChanges();
    latest.evolve(released('ntf_2', 8, 'more'), changes);
    expect([latest.offsetOf('ntf_1'), latest.offsetOf('ntf_2')]).toEqual([null, 8]);
    changes.revert();
    expect([latest.offsetOf('ntf_1'), latest.offsetOf('ntf_2')]).toEqual([7, null]);
  });
});
