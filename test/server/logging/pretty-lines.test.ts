import { createLog } from '../../../src/server/logging/log.js';
import { prettyLines } from '../../../src/server/logging/pretty-lines.js';

function logged(hasColors: boolean) {
  const written: string[] = [];
  const destination = { write: (text: string) => void written.push(text) };
  const log = createLog('debug', prettyLines(destination, hasColors));
  return { log, lines: () => written.join('') };
}

const time = '\\d\\d:\\d\\d:\\d\\d';

test('a line has the time and the text, and a level only if it is a warning or worse', () => {
  const { log, lines } = logged(false);
  log.info({ messageId: 'msg_1' }, 'delivered (msg_1)');
  log.info({ durationMs: 3 }, 'recovered');
  log.warn('slow');
  log.error('broken');
  log.debug('detail');
  expect(lines()).toMatch(
    new RegExp(
      `^${time} delivered \\(msg_1\\)\n${time} recovered \\{"durationMs":3\\}\n` +
        `${time} WARN slow\n${time} ERROR broken\n${time} debug detail\n$`,
    ),
  );
});

test('an error is logged with its stack', () => {
  const { log, lines } = logged(false);
  log.error({ err: new Error('torn') }, 'failed');
  expect(lines()).toMatch(new RegExp(`^${time} ERROR failed`));
  expect(lines()).toContain('Error: torn\n');
});

test('colours are used only if they are enabled', () => {
  const [plain, colored] = [logged(false), logged(true)];
  for (const { log } of [plain, colored]) log.warn('slow');
  expect(plain.lines()).not.toContain('\u001b');
  expect(colored.lines()).toContain('\u001b[33mWARN\u001b[39m slow');
});
