import {
  parseConsume,
  parseConsumePath,
  parseGeneration,
  parseJoinOptions,
} from '../../../src/topics/sessions/consume.request.js';

const usual = { timeoutMs: 1000, maxRecords: 500, maxBytes: 50 * 1024 * 1024 };

describe('a consume', () => {
  it.each([
    [{ topic: 't' }, { ...usual, topics: ['t'] }],
    [{ topics: ['t', 'u', 't'] }, { ...usual, topics: ['t', 'u'] }],
    [
      { topic: 'v', topics: ['t', 'v'] },
      { ...usual, topics: ['v', 't'] },
    ],
    [
      { topic: 't', timeout: 0 },
      { ...usual, topics: ['t'], timeoutMs: 0 },
    ],
    [
      { topic: 't', timeout: 1e9 },
      { ...usual, topics: ['t'], timeoutMs: 60_000 },
    ],
    [
      { topic: 't', maxRecords: 7, maxBytes: 9 },
      { ...usual, topics: ['t'], maxRecords: 7, maxBytes: 9 },
    ],
    [
      { topic: 't', maxRecords: 1e9 },
      { ...usual, topics: ['t'], maxRecords: 10_000 },
    ],
    [
      { topic: 't', other: 1 },
      { ...usual, topics: ['t'] },
    ],
  ])('of %j asks for %j', (body, value) => {
    expect(parseConsume(body)).toEqual({ ok: true, value });
  });

  it.each([
    [null],
    [[]],
    [{}],
    [{ topics: [] }],
    [{ topic: 1 }],
    [{ topics: 't' }],
    [{ topics: [1] }],
    [{ topic: 't', timeout: -1 }],
    [{ topic: 't', timeout: 'x' }],
    [{ topic: 't', maxRecords: 0 }],
    [{ topic: 't', maxBytes: 1.5 }],
    [{ topics: Array.from({ length: 1025 }, (_, index) => `t${index}`) }],
  ])('of %j is refused', (body) => {
    expect(parseConsume(body).ok).toBe(false);
  });

  it('may be in the path', () => {
    expect(parseConsumePath('t', '250')).toEqual({
      ok: true,
      value: { ...usual, topics: ['t'], timeoutMs: 250 },
    });
  });
});

describe('the headers of a first consume', () => {
  it('have defaults if they are missing', () => {
    expect(parseJoinOptions([], 120_000)).toEqual({
      ok: true,
      value: {
        settings: {
          autoCommit: true,
          autoCommitIntervalMs: 5000,
          offsetReset: 'latest',
          sessionTimeoutMs: 120_000,
        },
        strategy: null,
      },
    });
  });

  it.each(['Stream-', 'Kafka-', 'kafka-'])('are read with the prefix %s', (prefix) => {
    const headers = {
      'Enable-Auto-Commit': 'False',
      'Auto-Commit-Interval': '250',
      'Auto-Offset-Reset': 'EARLIEST',
      'Session-Timeout-Ms': '7000',
      'Assignment-Strategy': 'RoundRobin',
    };
    const raw = Object.entries(headers).flatMap(([name, value]) => [prefix + name, value]);
    expect(parseJoinOptions(raw, 120_000)).toEqual({
      ok: true,
      value: {
        settings: {
          autoCommit: false,
          autoCommitIntervalMs: 250,
          offsetReset: 'earliest',
          sessionTimeoutMs: 7000,
        },
        strategy: 'roundrobin',
      },
    });
  });

  it.each([
    ['Enable-Auto-Commit', 'yes'],
    ['Enable-Auto-Commit', ''],
    ['Auto-Commit-Interval', '-1'],
    ['Auto-Commit-Interval', '5s'],
    ['Auto-Offset-Reset', 'newest'],
    ['Session-Timeout-Ms', '0'],
    ['Session-Timeout-Ms', '999'],
    ['Session-Timeout-Ms', '86400001'],
    ['Session-Timeout-Ms', '1e3'],
    ['Assignment-Strategy', 'best'],
    ['Assignment-Strategy', ''],
  ])('%s: %j is refused by its name', (name, value) => {
    const options = parseJoinOptions([`Stream-${name}`, value], 120_000);
    expect(options).toMatchObject({ ok: false, message: expect.stringContaining(name) });
  });
});

it.each([
  [[], { ok: true, value: null }],
  [['Stream-Generation', '7'], { ok: true, value: 7 }],
  [['Kafka-Generation', 'x'], { ok: false, message: expect.any(String) }],
])('a generation in %j is %j', (headers, generation) => {
  expect(parseGeneration(headers)).toMatchObject(generation);
});
