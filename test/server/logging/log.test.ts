import { pino } from 'pino';
import { loggedPath } from '../../../src/http/logged-path.js';
import { createLog, NestLog } from '../../../src/server/logging/log.js';

test('no credential reaches the log, whatever field it is in', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const headers = { authorization: 'Bearer secret', cookie: 'secret', host: 'here' };
  log.info({ headers, req: { headers }, request: { headers }, authorization: 'secret' }, 'hello');
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain('secret');
  expect(lines[0]).toContain('here');
});

test('a query never reaches the log', () => {
  expect(loggedPath('/v2/publish/https://a.test?token=secret')).toBe('/v2/publish/https://a.test');
});

it('the reason of a refused start is logged without a stack, and a defect with its stack', () => {
  const written: Record<string, unknown>[] = [];
  const lines = { write: (line: string) => written.push(JSON.parse(line)) };
  const log = new NestLog(pino({}, lines), (error) => error instanceof RangeError);
  log.error(new RangeError('no port'), undefined, '_ExceptionHandler');
  log.error(new TypeError('no'), undefined, '_ExceptionHandler');
  log.error('a hook failed', 'at x.ts');
  expect(written).toMatchObject([
    { msg: 'no', err: { type: 'TypeError', stack: expect.stringContaining('log.test') } },
    { msg: 'a hook failed', details: ['at x.ts'] },
  ]);
});
