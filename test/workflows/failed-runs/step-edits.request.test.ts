import { editedStep } from '../../../src/workflows/failed-runs/step-edits.request.js';

const step = { id: 1, name: 'price', type: 'Run', concurrent: 1, target: null };
const edited = (body: string, out: string) => {
  const outcome = editedStep(step, Buffer.from(body), out);
  return outcome.ok ? outcome.value.toString() : outcome.message;
};

it.each([
  ['{"stepId":1,"out":"[1]"}', '{"stepId":1,"out":"[9007199254740993]"}'],
  ['{"stepId":1}', '{"stepId":1,"out":"[9007199254740993]"}'],
  ['{"out":[1],"stepId":1}', '{"stepId":1,"out":[9007199254740993]}'],
  ['{"out":[1]}', '{"out":[9007199254740993]}'],
  ['[1]', 'steps: step 1 was not submitted as a JSON object'],
])('the result of %s is replaced in the form in which it was submitted', (body, expected) => {
  expect(edited(body, '[9007199254740993]')).toBe(expected);
});
