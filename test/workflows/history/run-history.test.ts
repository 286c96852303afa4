import type { EventEnvelope } from '../../../src/engine/decider.js';
import type { RunEvent } from '../../../src/workflows/run-state/run.events.js';
import { envelope } from '../../support/envelope.js';
import { ReportedRun, stepOf } from '../../support/workflows/reported-run.js';
import { runPlace } from '../../support/workflows/run-place.js';

describe('the history of a run', () => {
  it('holds its own bytes, and not the pages of the journal that they were read with', () => {
    const page = Buffer.from('before {"out":1} behind');
    const { history } = new ReportedRun();
    const stored: EventEnvelope<RunEvent> = envelope(
      { type: 'StepStored', step: stepOf(1), messageId: 'msg_1', bytes: 9 },
      { kind: 'run', id: 'wfr_1', offset: 7 },
    );
    history.add(stored, page.subarray(7, 16));
    page.fill('x');
    expect(history.entries.at(-1)?.body?.toString()).toBe('{"out":1}');
  });

  it('keeps 64 KiB of the answer of an endpoint', () => {
    const { history } = new ReportedRun().stumbles('msg_0', {}, 'x'.repeat(64 * 1024 + 1));
    expect(history.messages.get('msg_0')?.last?.body).toHaveLength(64 * 1024);
  });

  it('contains only its own messages', () => {
    const { history } = new ReportedRun()
      .publish('msg_other', { run: runPlace({ startedOffset: 99 }) })
      .publish('msg_none', { run: null })
      .delivered('msg_other');
    expect([...history.messages.keys()]).toEqual(['msg_0']);
  });

  it('contains only its own events', () => {
    const { history } = new ReportedRun();
    const canceled: RunEvent = { type: 'RunCanceled', canceled: [] };
    history.add(envelope(canceled, { kind: 'run', id: 'wfr_other', offset: 9 }), null);
    history.add(envelope(canceled, { kind: 'schedule', id: 'wfr_1', offset: 9 }), null);
    expect(history.end).toBeNull();
  });

  it('begins with everything that the resumed run had open', () => {
    const inherited = {
      runId: 'wfr_0',
      entries: [],
      calls: [{ step: stepOf(1), messageId: 'msg_call' }],
      waits: [{ step: stepOf(2), eventId: 'paid', deadline: 9000, offset: 4 }],
      notifications: [],
      invocations: [{ step: stepOf(3), runId: 'wfr_c', messageId: 'msg_c' }],
    };
    expect(new ReportedRun({ inherited }).history.openings).toMatchObject([
      { kind: 'call', step: { id: 1 }, messageId: 'msg_call' },
      { kind: 'wait', step: { id: 2 }, eventId: 'paid', timeout: null, deadline: 9000 },
      { kind: 'invocation', step: { id: 3 }, runId: 'wfr_c', messageId: 'msg_c' },
    ]);
  });

  it('has as its invoker the run that waits for it now', () => {
    const invoker = { runId: 'wfr_p', url: 'https://example.com/p', createdAt: 1, step: stepOf(1) };
    const resumed = { ...invoker, runId: 'wfr_again' };
    const run = new ReportedRun({ invoker }).happen({ type: 'InvokerChanged', invoker: resumed });
    expect(run.history.invoker).toEqual(resumed);
  });
});

describe('a message of a run', () => {
  const ofFirst = (run: ReportedRun) => run.history.messages.get('msg_0');

  it('waits for its next attempt, and remembers those that failed', () => {
    const run = new ReportedRun().stumbles('msg_0').stumbles('msg_0', { attempt: 1 });
    expect(ofFirst(run)).toMatchObject({
      status: 'pending',
      notBefore: 99_000,
      endedAt: null,
      failures: [{ event: { attempt: 0 } }, { event: { attempt: 1 } }],
    });
  });

  it('has the failures that came before it was delivered, and not its delivery among them', () => {
    const run = new ReportedRun().stumbles('msg_0').delivered('msg_0');
    const message = ofFirst(run);
    expect(message).toMatchObject({ status: 'delivered', endedAt: 4000 });
    expect(message?.failures).toHaveLength(1);
    expect(message?.last?.event.type).toBe('MessageDelivered');
  });

  it('is delivered without an answer of its own if the run ended meanwhile', () => {
    const run = new ReportedRun();
    run.history.add(envelope({ type: 'MessageCompleted' }, { id: 'msg_0', at: 3000 }), null);
    expect(ofFirst(run)).toMatchObject({ status: 'delivered', endedAt: 3000, last: null });
  });

  it('that was canceled keeps its last attempt', () => {
    const run = new ReportedRun().stumbles('msg_0').canceled('msg_0');
    expect(ofFirst(run)).toMatchObject({ status: 'canceled', failures: [{}], last: {} });
  });
});
