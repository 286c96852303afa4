import fc from 'fast-check';
import { parseStep, parseStepBody } from '../../../src/workflows/requests/step.request.js';

const step = { stepId: 1, stepName: 'one', stepType: 'Run', concurrent: 1 };
const read = (changes: object) => parseStep({ ...step, ...changes });
const reasonOf = (value: unknown) => {
  const result = parseStep(value);
  return result.ok ? undefined : result.message;
};

describe('a step', () => {
  it('is identified by its id, and its other fields are for its endpoint', () => {
    expect(parseStepBody(Buffer.from(JSON.stringify({ ...step, out: '{}', method: 'x' })))).toEqual(
      {
        ok: true,
        value: { id: 1, name: 'one', type: 'Run', concurrent: 1, target: null },
      },
    );
  });

  it('is a plan if its id is 0, and is then identified by the step that it plans', () => {
    expect(read({ stepId: 0, targetStep: 3, concurrent: 2 })).toMatchObject({
      value: { id: 0, target: 3, concurrent: 2 },
    });
  });

  it('plans nothing if it has an id, whatever its other fields are', () => {
    for (const targetStep of [null, 0, 5, 'x']) {
      expect(read({ targetStep })).toMatchObject({ value: { id: 1, target: null } });
    }
  });

  it('may be of a type that the server does not know', () => {
    expect(read({ stepType: 'Think' })).toMatchObject({ value: { type: 'Think' } });
  });

  it.each([
    [null, 'a step must be a JSON object'],
    [[step], 'a step must be a JSON object'],
    ['step', 'a step must be a JSON object'],
    [{}, 'stepId must be a whole number of 0 or more'],
    [{ ...step, stepId: '1' }, 'stepId must be'],
    [{ ...step, stepId: 1.5 }, 'stepId must be'],
    [{ ...step, stepId: -1 }, 'stepId must be'],
    [{ ...step, stepId: 1e300 }, 'stepId must be'],
    [{ ...step, stepName: null }, 'stepName must have 1 to 1024 characters'],
    [{ ...step, stepName: '' }, 'stepName must have'],
    [{ ...step, stepName: 'x'.repeat(1025) }, 'stepName must have'],
    [{ ...step, stepName: 'ready \ud83d' }, 'stepName must have'],
    [{ ...step, stepType: 1 }, 'stepType must have'],
    [{ ...step, stepType: '\udc00' }, 'stepType must have'],
    [{ ...step, concurrent: null }, 'concurrent must be'],
    [{ ...step, concurrent: 0 }, 'concurrent must be'],
    [{ ...step, stepId: 0 }, 'targetStep of the plan of a step must be'],
    [{ ...step, stepId: 0, targetStep: 0 }, 'targetStep of the plan of a step must be'],
    [{ ...step, stepId: 0, targetStep: null }, 'targetStep of the plan of a step must be'],
  ])('is refused as %j', (value, reason) => {
    expect(reasonOf(value)).toContain(reason);
  });

  it('is refused with a reason for any other value', () => {
    const odd = fc.record(
      {
        stepId: fc.jsonValue(),
        stepName: fc.jsonValue(),
        stepType: fc.jsonValue(),
        concurrent: fc.jsonValue(),
        targetStep: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(odd, fc.jsonValue()), (value) => {
        const result = parseStepBody(Buffer.from(JSON.stringify(value)));
        if (!result.ok) return result.message.length > 0;
        const { id, target, concurrent } = result.value;
        return (id === 0) === (target !== null) && concurrent >= 1;
      }),
    );
  });
});
