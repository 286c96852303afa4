import type { PendingSituation } from '../../../src/messaging/why/message-situation.js';
import type {
  ActiveRunSituation,
  OpenBranch,
  RunSituation,
} from '../../../src/workflows/why/run-situation.js';
import { whyRun } from '../../../src/workflows/why/why-run.policy.js';

const noon = Date.UTC(2026, 0, 1, 12);

const message: PendingSituation = {
  status: 'pending',
  url: 'https://example.com/flow',
  failures: 0,
  maxRetries: 3,
  notBefore: noon,
  timeoutMs: 60_000,
  lastFailure: null,
  progress: null,
};

const delivery: OpenBranch = { kind: 'delivery', stepName: 'init', messageId: 'msg_1', message };
const call: OpenBranch = { ...delivery, kind: 'call', stepName: 'pay' };
const child: OpenBranch = { kind: 'invocation', stepName: 'sub', runId: 'wfr_2' };
const event: OpenBranch = { kind: 'event', stepName: 'ok', eventId: 'go', deadline: noon };
const sleep: OpenBranch = { kind: 'sleep', stepName: 'nap', until: noon };

const active = (...branches: readonly OpenBranch[]): ActiveRunSituation => ({
  status: 'active',
  state: 'running',
  branches,
  open: branches.length,
});

const failed = { status: 'failed', at: noon, dlqId: '1-2' } as const;

const cases: readonly (readonly [reason: string, RunSituation, sentence: string])[] = [
  [
    'delayed',
    active(delivery),
    'The endpoint is called with the result of step "init". ' +
      'It is delayed until 2026-01-01T12:00:00Z.',
  ],
  [
    'delayed',
    active(call),
    'Step "pay" calls a third party. It is delayed until 2026-01-01T12:00:00Z.',
  ],
  ['invocation', active(child), 'Step "sub" waits for the end of run wfr_2.'],
  ['event', active(event), 'Step "ok" waits for event go until 2026-01-01T12:00:00Z.'],
  ['sleep', active(sleep), 'Step "nap" sleeps until 2026-01-01T12:00:00Z.'],
  ['stalled', active(), 'It has no open delivery, call, wait or child run.'],
  [
    'event',
    active(sleep, event, sleep),
    'Step "ok" waits for event go until 2026-01-01T12:00:00Z. ' +
      '2 other steps of it are open too.',
  ],
  [
    'succeeded',
    { status: 'succeeded', at: noon, cause: null, dlqId: null },
    'It succeeded at 2026-01-01T12:00:00Z.',
  ],
  [
    'canceled',
    { status: 'canceled', at: noon, cause: null, dlqId: null },
    'It was canceled at 2026-01-01T12:00:00Z.',
  ],
  [
    'failed',
    { ...failed, cause: 'exhausted' },
    'It failed at 2026-01-01T12:00:00Z: every attempt to call its endpoint failed.',
  ],
  [
    'failed',
    { ...failed, cause: 'non_retryable' },
    'It failed at 2026-01-01T12:00:00Z: its endpoint refused any further attempt.',
  ],
  [
    'failed',
    { ...failed, cause: 'stalled' },
    'It failed at 2026-01-01T12:00:00Z: ' +
      'its endpoint answered without a new step, and the run had nothing else open.',
  ],
];

describe('the explanation of why a run waits', () => {
  it.each(cases)('is %s', (reason, situation, sentence) => {
    expect(whyRun(situation, noon - 1)).toMatchObject({ reason, sentence });
  });

  it('names the most pressing reason first, and then all others', () => {
    const { waits } = whyRun(active(sleep, event, child, call, delivery), noon - 1);
    expect(waits.map(({ stepName }) => stepName)).toEqual(['init', 'pay', 'sub', 'ok', 'nap']);
  });
});
