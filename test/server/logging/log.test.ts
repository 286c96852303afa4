import { pino } from 'pino';
import { loggedPath } from '../../../src/http/logged-path.js';
import { createLog, NestLog } from '../../../src/server/logging/log.js';

test('no credential reaches the log, wherever it stands', () => {
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

it('an expected failure of a start has no details, and a defect has its stack', () => {
  const written: Record<string, unknown>[] = [];
  const log = new NestLog(pino({}, { write: (line: string) => written.push(JSON.parse(line)) }));
  log.error('DamagedData: damaged', undefined, '_ExceptionHandler');
  log.error('TypeError: no', 'at x.ts', '_ExceptionHandler');
  expect(written.map(({ details }) => details)).toEqual([
    undefined,
    ['at x.ts', '_ExceptionHandler'],
  ]);
});
