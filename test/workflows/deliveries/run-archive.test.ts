import { RunArchive } from '../../../src/workflows/deliveries/run-archive.js';
import type { CancelRun } from '../../../src/workflows/run-state/run.commands.js';
import { type RunEvent, runKind } from '../../../src/workflows/run-state/run.events.js';
import { envelope } from '../../support/envelope.js';
import {
  runConfiguration,
  startRun,
  stepInfo,
  submitStep,
  toRun,
} from '../../support/workflows/run-commands.js';
import { openRunEngine, type RunEngine } from '../../support/workflows/run-engine.js';

let runs: RunEngine;

beforeEach(async () => {
  runs = await openRunEngine();
});

afterEach(() => runs.close());

const cancel = () => runs.ask(toRun<CancelRun>({ type: 'CancelRun' }));
const stateAt = (until: number, startedOffset = 0) =>
  runs.archive.stateOf('wfr_1', startedOffset, until);
const idsOf = async (until: number) =>
  (await stateAt(until)).context.entries.toArray().map(({ messageId }) => messageId);
/** The offsets of the run's events. */
const offsets = async () => {
  const found: number[] = [];
  for await (const { offset } of runs.journal.find('wfr_1', 0, runs.journal.endOffset)) {
    found.push(offset);
  }
  return found;
};

describe('a run as it was', () => {
  it('equals what memory held of it before it ended', async () => {
    await runs.ask(startRun());
    await runs.ask(submitStep(stepInfo(1)));
    const held = runs.run();
    const { endOffset } = runs.journal;
    await cancel();
    expect(runs.run()).toBeUndefined();
    const folded = await stateAt(endOffset);
    expect(folded.value).toEqual(held?.value);
    expect(folded.context).toEqual(held?.context);
    expect((await stateAt(runs.journal.endOffset)).value).toBe('canceled');
  });

  it('includes the events before an offset of the journal, and not the event at it', async () => {
    await runs.ask(startRun());
    await runs.ask(submitStep(stepInfo(1)));
    await runs.ask(submitStep(stepInfo(2)));
    const [, first = -1, second = -1] = await offsets();
    expect(await idsOf(first)).toEqual(['msg_0']);
    expect(await idsOf(first + 1)).toEqual(['msg_0', 'msg_1']);
    expect(await idsOf(second)).toEqual(['msg_0', 'msg_1']);
  });

  it('is not mixed up with an earlier run of the same id', async () => {
    await runs.ask(startRun());
    await runs.ask(submitStep(stepInfo(1)));
    await cancel();
    const startedOffset = runs.journal.endOffset;
    const at = startRun().at + 600_000;
    const configuration = runConfiguration({ url: 'https://app.example/later' });
    await runs.ask(startRun({ at, messageId: 'msg_later', configuration }));
    const state = await stateAt(runs.journal.endOffset, startedOffset);
    expect(state.matches('active')).toBe(true);
    expect(state.context.url).toBe(configuration.url);
    expect(state.context.entries.length).toBe(1);
  });
});

it('the events from which deliveries are composed are cached once they are durable', () => {
  const { journal, payloads } = runs;
  const archive = new RunArchive(journal, payloads);
  const event: RunEvent = { type: 'StepStored', step: stepInfo(1), messageId: 'msg_2', bytes: 2 };
  const stored = envelope(event, { kind: runKind, id: 'wfr_1', offset: 900 });
  archive.listener([stored]);
  expect(archive.eventAt(900)).toBe(stored);
});
