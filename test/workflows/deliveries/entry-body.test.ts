import {
  endedInvocationBody,
  endedWaitBody,
} from '../../../src/workflows/deliveries/entry-body.js';
import type { InvocationEnded, WaitEnded } from '../../../src/workflows/run-state/run.events.js';
import { stepInfo } from '../../support/workflows/run-commands.js';

const waitEnded: WaitEnded = {
  type: 'WaitEnded',
  step: stepInfo(3, { name: 'w "1"', type: 'Wait', concurrent: 2 }),
  eventId: 'order.paid',
  messageId: 'msg_3',
  isTimeout: false,
  notificationId: null,
  notificationOffset: null,
  bytes: 0,
};
const invocationEnded: InvocationEnded = {
  type: 'InvocationEnded',
  step: stepInfo(1, { name: 'inv', type: 'Invoke' }),
  runId: 'wfr_child',
  messageId: 'msg_1',
  outcome: 'succeeded',
  endOffset: 0,
  bytes: 0,
};
const read = (body: Buffer) => JSON.parse(body.toString()) as { out: string };
const wait = { stepId: 3, stepName: 'w "1"', stepType: 'Wait', concurrent: 2 };

describe('the step that ends a wait', () => {
  it('contains the bytes of the notification, whatever they are', () => {
    const bytes = Buffer.from([0, 255, 34, 10]);
    expect(read(endedWaitBody(waitEnded, bytes))).toEqual({
      ...wait,
      waitEventId: 'order.paid',
      out: bytes.toString('base64'),
    });
  });

  it.each([null, Buffer.alloc(0)])('has no `out` if the notification is empty: %p', (notified) => {
    const body = read(endedWaitBody(waitEnded, notified));
    expect(body).toEqual({ ...wait, waitEventId: 'order.paid' });
  });

  it('reports a timeout', () => {
    const body = read(endedWaitBody({ ...waitEnded, isTimeout: true }, null));
    expect(body).toEqual({ ...wait, waitEventId: 'order.paid', waitTimeout: true });
  });
});

describe('the step that ends an invocation', () => {
  const out = (changes: Partial<InvocationEnded>, returned: Buffer | null) =>
    JSON.parse(read(endedInvocationBody({ ...invocationEnded, ...changes }, returned)).out);

  it('contains what the child returned, as text', () => {
    expect(out({}, Buffer.from('{"a":1}'))).toEqual({
      workflowRunId: 'wfr_child',
      body: '{"a":1}',
      isCanceled: false,
      isFailed: false,
    });
    expect(out({}, null)).toMatchObject({ body: '' });
  });

  it('has no body if the child failed or was canceled', () => {
    const ended = { workflowRunId: 'wfr_child', isCanceled: false, isFailed: false };
    expect(out({ outcome: 'failed' }, null)).toEqual({ ...ended, isFailed: true });
    expect(out({ outcome: 'canceled' }, null)).toEqual({ ...ended, isCanceled: true });
  });
});
