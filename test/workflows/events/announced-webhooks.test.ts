import { AnnouncedWebhooks } from '../../../src/workflows/events/announced-webhooks.js';
import { EntryList } from '../../../src/workflows/run-state/entry-list.js';
import { nothingBegun, type RunContext } from '../../../src/workflows/run-state/run.context.js';
import {
  type RunEvent,
  runKind,
  type StepInfo,
} from '../../../src/workflows/run-state/run.events.js';
import { envelope } from '../../support/envelope.js';
import { planOf, stepInfo } from '../../support/workflows/run-commands.js';

/** The bodies of entries by index; reads are counted. */
let bodies: (string | null)[];
let reads: number;

const webhooks = () =>
  new AnnouncedWebhooks({
    eventAt: (offset) => {
      reads += 1;
      const text = bodies[offset] ?? null;
      const body = text === null ? null : Buffer.from(text);
      const stored: RunEvent = {
        type: 'StepStored',
        step: create(1),
        messageId: 'msg_1',
        bytes: 1,
      };
      return envelope(stored, { kind: runKind, offset, body });
    },
  });

const runOf = (...steps: readonly StepInfo[]): RunContext => {
  const entries = steps.map((step, offset) => ({
    messageId: `msg_${offset}`,
    offset,
    step,
    bytes: 1,
  }));
  return { ...nothingBegun, entries: EntryList.of(entries) };
};

const create = (id: number) => stepInfo(id, { type: 'CreateWebhook' });
const result = (eventId: string) => JSON.stringify({ out: JSON.stringify({ eventId }) });

beforeEach(() => {
  bodies = [];
  reads = 0;
});

describe('the webhooks of a run', () => {
  it('are those named by the results of its steps', async () => {
    bodies = [null, result('evt_1'), result('evt_2'), result('evt_3')];
    const run = runOf(stepInfo(0), create(1), stepInfo(2), create(3));
    const announced = webhooks();
    for (const [eventId, isAnnounced] of [
      ['evt_1', true],
      ['evt_2', false],
      ['evt_3', true],
      ['', false],
    ] as const) {
      expect([eventId, await announced.has(run, eventId)]).toEqual([eventId, isAnnounced]);
    }
  });

  it('do not include plans, or results that cannot be parsed', async () => {
    const texts = ['null', '{}', '{"out":1}', '{"out":"x"}', '{"out":"{}"}', '{"out":"null"}', ''];
    bodies = [result('evt_1'), ...texts];
    const run = runOf(
      planOf(1, { type: 'CreateWebhook' }),
      ...texts.map((_, at) => create(at + 1)),
    );
    const announced = webhooks();
    expect(await announced.has(run, 'evt_1')).toBe(false);
    expect(await announced.has(run, '')).toBe(false);
  });

  it('are read from the journal once', async () => {
    bodies = [result('evt_1'), result('evt_2')];
    const run = runOf(create(1), create(2));
    const announced = webhooks();
    for (let calls = 0; calls < 3; calls += 1) await announced.has(run, 'evt_unknown');
    expect(reads).toBe(2);
  });
});
