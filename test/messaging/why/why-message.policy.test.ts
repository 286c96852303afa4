import type { Obstacle } from '../../../src/messaging/gates/obstacle.js';
import type {
  EndedSituation,
  MessageSituation,
  PendingSituation,
} from '../../../src/messaging/why/message-situation.js';
import {
  type MessageReason,
  messageReasons,
  whyMessage,
} from '../../../src/messaging/why/why-message.policy.js';

const noon = Date.UTC(2026, 0, 1, 12);

const pending: PendingSituation = {
  status: 'pending',
  url: 'https://example.com/a',
  failures: 0,
  maxRetries: 3,
  notBefore: noon,
  timeoutMs: 60_000,
  lastFailure: null,
  progress: null,
};

const failedOnce: PendingSituation = {
  ...pending,
  failures: 1,
  lastFailure: { status: 0, error: 'connection refused', startedAt: noon - 60_000 },
};

const ended: EndedSituation = {
  status: 'delivered',
  at: noon,
  attempts: 2,
  responseStatus: 200,
  dlqId: null,
};

const queue: Obstacle = {
  gate: 'queue',
  queueName: 'line',
  isPaused: false,
  parallelism: 2,
  taken: 2,
  holders: ['msg_1', 'msg_2'],
};

const key: Obstacle = {
  gate: 'flowControl',
  key: 'k',
  isPaused: false,
  parallelism: null,
  running: 0,
  rate: null,
  periodSeconds: 1,
  spent: 0,
  windowEndsAt: null,
};

const behind = (obstacle: Obstacle, ahead: number | null = 0): PendingSituation => ({
  ...pending,
  progress: { stage: 'waiting', wait: { obstacle, ahead } },
});

type Case = readonly [reason: MessageReason, situation: MessageSituation, sentence: string];

/** At eleven o'clock, unless something is due. */
const cases: readonly Case[] = [
  ['delayed', pending, 'It is delayed until 2026-01-01T12:00:00Z.'],
  [
    'retry',
    failedOnce,
    'Attempt 1 of 2026-01-01T11:59:00Z failed: connection refused; ' +
      'attempt 2 of 4 starts at 2026-01-01T12:00:00Z.',
  ],
  [
    'retry',
    { ...failedOnce, lastFailure: { status: 503, error: null, startedAt: noon } },
    'Attempt 1 of 2026-01-01T12:00:00Z failed: the answer was 503; ' +
      'attempt 2 of 4 starts at 2026-01-01T12:00:00Z.',
  ],
  ['due', { ...failedOnce, notBefore: noon - 7_200_000 }, 'Attempt 2 of 4 is about to start.'],
  [
    'in_flight',
    { ...pending, progress: { stage: 'inFlight', startedAt: noon } },
    'Attempt 1 of 4 has been in flight since 2026-01-01T12:00:00Z; ' +
      'https://example.com/a has until 2026-01-01T12:01:00Z to answer.',
  ],
  [
    'held_for_answer',
    { ...pending, progress: { stage: 'held' } },
    'It waits until the delivery of its run that caused it is answered, for at most 250 ms.',
  ],
  [
    'unreadable',
    { status: 'unreadable' },
    'The message cannot be read, because the disk of the server is damaged, and is not delivered.',
  ],
  [
    'queue_order',
    behind(queue, 3),
    'Queue line delivers 2 at a time in order, and msg_1 and 1 other message are ahead; ' +
      '3 attempts are ahead.',
  ],
  ['queue_paused', behind({ ...queue, isPaused: true }), 'Queue line is paused.'],
  ['flow_control_paused', behind({ ...key, isPaused: true }), 'Flow-control key k is paused.'],
  [
    'flow_control_parallelism',
    behind({ ...key, parallelism: 2, running: 2, rate: 5, spent: 5, windowEndsAt: noon }, 1),
    'Flow-control key k allows 2 attempts at once, and 2 are in flight; 1 attempt is ahead.',
  ],
  [
    'flow_control_rate',
    behind({ ...key, parallelism: 2, rate: 5, spent: 5, periodSeconds: 60, windowEndsAt: noon }),
    'Flow-control key k allows 5 starts in 60 seconds; they are used up until 2026-01-01T12:00:00Z.',
  ],
  [
    'flow_control_order',
    behind({ ...key, rate: 5, spent: 1, windowEndsAt: noon }, null),
    'Flow-control key k starts attempts in the order of their arrival; ' +
      'more than 100,000 attempts are ahead.',
  ],
  [
    'origin_paused',
    behind({ gate: 'pausedOrigin', origin: 'https://example.com' }),
    'Origin https://example.com is paused.',
  ],
  [
    'origin_limit',
    behind({ gate: 'origin', destination: 'https://example.com', running: 64, limit: 64 }),
    '64 attempts to https://example.com in flight are the maximum for one origin.',
  ],
  [
    'origin_limit',
    behind({ gate: 'origin', destination: 'https://example.com', running: 1, limit: 64 }),
    '1 attempt to https://example.com in flight is its share of the remaining places.',
  ],
  [
    'domain_limit',
    behind({ gate: 'domain', destination: 'example.com', running: 438, limit: 438 }),
    '438 attempts to hosts in example.com in flight are the maximum for one domain.',
  ],
  [
    'body_bytes_limit',
    behind({ gate: 'bodyBytes', taken: 128 * 1024 * 1024, limit: 128 * 1024 * 1024 }),
    'Large bodies in flight take 128 MiB of the 128 MiB that the server reserves for them.',
  ],
  [
    'attempts_limit',
    behind({ gate: 'attempts', taken: 1000, limit: 1000 }),
    '1,000 attempts of the 1,000 that the server allows at once are in flight.',
  ],
  [
    'not_owner',
    behind({ gate: 'ownership' }),
    'This node cannot prove at the moment that it owns the shared log.',
  ],
  ['delivered', ended, 'It was delivered at 2026-01-01T12:00:00Z: attempt 2 was answered 200.'],
  ['delivered', { ...ended, responseStatus: 0 }, 'It was delivered at 2026-01-01T12:00:00Z.'],
  [
    'failed',
    { ...ended, status: 'failed', responseStatus: 0, dlqId: '1-2' },
    'It failed for good at 2026-01-01T12:00:00Z, after 2 attempts; the last one had no answer.',
  ],
  ['canceled', { ...ended, status: 'canceled' }, 'It was canceled at 2026-01-01T12:00:00Z.'],
];

describe('the reason why a message waits or ended', () => {
  it.each(cases)('is %s', (reason, situation, sentence) => {
    expect(whyMessage(situation, noon - 3_600_000)).toMatchObject({ reason, sentence });
  });

  it('has a case for every reason', () => {
    expect(new Set(cases.map(([reason]) => reason))).toEqual(new Set(messageReasons));
  });

  it('says when it ends by itself, if and only if it does', () => {
    const ending: readonly MessageReason[] = ['delayed', 'retry', 'in_flight', 'flow_control_rate'];
    for (const [reason, situation] of cases) {
      const { until } = whyMessage(situation, noon - 3_600_000);
      expect(until === undefined).toBe(!ending.includes(reason));
    }
  });
});
