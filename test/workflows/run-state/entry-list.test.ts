import fc from 'fast-check';
import { EntryList, stepKey } from '../../../src/workflows/run-state/entry-list.js';
import type { RunEntry } from '../../../src/workflows/run-state/run.events.js';
import { planOf, stepInfo } from '../../support/workflows/run-commands.js';

const entry = (offset: number, step = stepInfo(offset), bytes = 10): RunEntry => ({
  messageId: `msg_${offset}`,
  offset,
  step,
  bytes,
});

const anyEntry = fc
  .record({ id: fc.integer({ min: 0, max: 5 }), isPlan: fc.boolean(), bytes: fc.nat(1000) })
  .map(({ id, isPlan, bytes }, index = 0) =>
    entry(index, isPlan ? planOf(id + 1) : stepInfo(id), bytes),
  );

describe('the list of entries', () => {
  it('holds what was appended, in that order', () => {
    const list = EntryList.of([entry(0), entry(1)]).append(entry(2));
    expect(list.length).toBe(3);
    expect(list.bytes).toBe(30);
    expect(list.toArray()).toEqual([entry(0), entry(1), entry(2)]);
    expect(list.at(2)).toEqual(entry(2));
    expect(list.at(3)).toBeUndefined();
  });

  it('is left unchanged by an append that was rolled back', () => {
    const before = EntryList.of([entry(0)]);
    const takenBack = before.append(entry(1)).append(entry(2));
    expect(before.find(stepInfo(1))).toBeUndefined();
    const instead = before.append(entry(3));
    expect(before.toArray()).toEqual([entry(0)]);
    expect(instead.toArray()).toEqual([entry(0), entry(3)]);
    expect(instead.find(stepInfo(1))).toBeUndefined();
    expect(takenBack.toArray()).toEqual([entry(0), entry(1), entry(2)]);
  });

  it('finds the first entry of a step, and distinguishes a plan from its result', () => {
    const plan = entry(1, planOf(4));
    const result = entry(2, stepInfo(4));
    const list = EntryList.of([entry(0), plan, result, entry(3, stepInfo(4))]);
    expect(list.find(planOf(4))).toBe(plan);
    expect(list.find(stepInfo(4))).toBe(result);
    expect(list.find(planOf(5))).toBeUndefined();
  });

  it('is immutable, however its copies grow', () => {
    const grown = fc.array(fc.tuple(anyEntry, fc.nat(), fc.boolean()), { maxLength: 30 });
    fc.assert(
      fc.property(grown, (appends) => {
        const lists: { list: EntryList; expected: readonly RunEntry[] }[] = [
          { list: EntryList.of([]), expected: [] },
        ];
        for (const [added, pick, fromNewest] of appends) {
          const index = fromNewest ? lists.length - 1 : pick % lists.length;
          const { list, expected } = lists[index] ?? { list: EntryList.of([]), expected: [] };
          lists.push({ list: list.append(added), expected: [...expected, added] });
        }
        for (const { list, expected } of lists) {
          expect(list.toArray()).toEqual(expected);
          expect(list.length).toBe(expected.length);
          expect(list.bytes).toBe(expected.reduce((sum, { bytes }) => sum + bytes, 0));
          for (const { step } of expected) {
            const first = expected.find((each) => stepKey(each.step) === stepKey(step));
            expect(list.find(step)).toBe(first);
          }
        }
      }),
    );
  });

  it('reports about the size of its delivery', () => {
    const body = Buffer.alloc(1000);
    const one = { messageId: 'msg_01M7Z0XY214ND8BXV73MF9P1', body: body.toString('base64') };
    const list = EntryList.of([0, 1, 2].map((offset) => entry(offset, stepInfo(offset), 1000)));
    const delivered = JSON.stringify(
      [one, one, one].map((each) => ({ ...each, callType: 'step' })),
    );
    expect(list.deliveredBytes).toBeGreaterThanOrEqual(delivered.length);
    expect(list.deliveredBytes).toBeLessThan(delivered.length * 1.1);
  });
});
