import { Refusal } from '../../../src/grammar/result.js';
import { outcomesText } from '../../../src/topics/produce/produce-calls.js';
import type { ProduceOutcome } from '../../../src/topics/produce/producer.js';

const stored = { topic: 'rides', partition: 2, offset: 1234, timestamp: 1_767_000_000_000 };

describe('the answer to a produce', () => {
  it.each([
    [[]],
    [[stored]],
    [[stored, { ...stored, offset: 1235 }, { ...stored, topic: 'a "quoted" one', partition: 0 }]],
    [
      [
        { ...stored, timestamp: 0.5 },
        { ...stored, timestamp: -1, offset: 0 },
      ],
    ],
  ])('is %j as JSON.stringify writes it', (outcomes) => {
    expect(outcomesText(outcomes).toString()).toBe(JSON.stringify(outcomes));
  });

  it('shows a refusal among others as it would be shown alone', () => {
    const headers = { 'retry-after': '1' };
    const refused: ProduceOutcome = new Refusal('invalid', 'value is "missing"', headers);
    expect(JSON.parse(outcomesText([stored, refused, stored]).toString())).toEqual([
      stored,
      { error: 'value is "missing"', status: 400 },
      stored,
    ]);
  });
});
