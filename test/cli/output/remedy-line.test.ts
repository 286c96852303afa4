import { remedyLine } from '../../../src/cli/output/remedy-line.js';

it.each([
  ['POST /v2/dlq/retry/17-4s00 retries it.', 'stepwell dlq retry 17-4s00 retries it.'],
  ['POST /v2/workflows/dlq/resume/17-4s00 goes on.', 'stepwell run resume 17-4s00 goes on.'],
  ['POST /v2/queues/my mails/resume', "stepwell queue resume 'my mails'"],
  ['POST /v2/notify/paid; reboot', "stepwell run notify 'paid; reboot'"],
  ["POST /v2/notify/it's", "stepwell run notify 'it'\\''s'"],
  ['POST /v2/notify/--run', "stepwell run notify '--run'"],
  [
    'POST /v2/flowControl/a/b/resetRate begins a new window',
    'stepwell flow reset a/b begins a new window',
  ],
  ['It is retried automatically: repair the destination.', undefined],
])('a remedy that is a request is shown as a command: %s', (remedy, shown = remedy) => {
  expect(remedyLine(remedy)).toBe(shown);
});
