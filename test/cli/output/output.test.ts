import { logLine, messageColumns } from '../../../src/cli/output/columns.js';
import { Output } from '../../../src/cli/output/output.js';
import { coloured, plain, shownState } from '../../../src/cli/output/style.js';
import { tableLines } from '../../../src/cli/output/table.js';
import { durationWords, relativeTime, sizeWords } from '../../../src/cli/output/time-words.js';
import { safeLine } from '../../../src/cli/output/visible.js';
import { widthOf } from '../../../src/cli/output/width.js';

const now = () => 10_000;

const message = {
  messageId: 'msg_1',
  state: 'RETRY',
  createdAt: 1000,
  attempts: 2,
  nextDeliveryTime: 70_000,
  label: 'a\nb',
  url: `https://example.com/${'x'.repeat(80)}`,
};

describe('a table', () => {
  it('has a line for each row, cut to the width of the terminal', () => {
    const lines = tableLines(messageColumns(now), [message], plain, 80);
    expect(lines).toEqual([
      'MESSAGE  STATE    CREATED  TRIED  NEXT   LABEL  URL',
      'msg_1    ↻ retry  9s ago       2  in 1m  a b    https://example.com/xxxxxxxxxxx…',
    ]);
  });

  it('cuts the longest texts first, and no id', () => {
    const labelled = { ...message, label: 'l'.repeat(60) };
    const [, row] = tableLines(messageColumns(now), [labelled], plain, 80);
    expect(row).toMatch(/^msg_1 .* l{17}… {2}https:\/\/example\.co…$/);
    expect(widthOf(row ?? '')).toBe(80);
  });

  it('keeps its width if characters take two columns or none', () => {
    const labelled = { ...message, label: '配信の再試行をここで確かめる👩‍💻e\u0301' };
    const [, row = ''] = tableLines(messageColumns(now), [labelled], plain, 80);
    expect(row).toMatch(/^msg_1 .* 配信の再試行をこ… {2,3}https:\/\/example\.co…$/);
    expect([widthOf('配信'), widthOf('👩‍💻'), widthOf('e\u0301'), widthOf(row)]).toEqual([
      4, 2, 1, 80,
    ]);
  });

  it('shows rows that do not fit as lines of their own', () => {
    const lines = tableLines(messageColumns(now), [message, message], plain, 40);
    expect(lines.slice(0, 3)).toEqual(['MESSAGE  msg_1', 'STATE    ↻ retry', 'CREATED  9s ago']);
    expect(lines.filter((line) => line === '')).toHaveLength(2);
    expect(lines.at(-2)).toBe(`URL      ${message.url}`);
  });

  it('is as wide in colours as without them', () => {
    const [title, row] = tableLines(messageColumns(now), [message], coloured, 80);
    expect(row).toContain('\x1b[33m↻ retry\x1b[39m');
    expect(widthOf(title ?? '')).toBeLessThanOrEqual(80);
    expect(widthOf(row ?? '')).toBeLessThanOrEqual(80);
  });
});

describe('text that others have chosen', () => {
  const hostile = 'a\x1b[2Jb\rc\x9b8md\u202ee\x1b[31m\x07';

  it('moves no cursor of the terminal', () => {
    const line = logLine({ time: 0, state: 'ERROR', error: hostile }, plain);
    expect(line).toContain('a\\u001b[2Jb c\\u009b8md\\u202ee\\u001b[31m\\u0007');
  });

  it('is escaped in a line whatever its source, but our own colours are not', () => {
    const line = safeLine(`${coloured('red', 'x')} ${hostile}\n`);
    expect(line).toBe(
      '\x1b[31mx\x1b[39m a\\u001b[2Jb\\u000dc\\u009b8md\\u202ee\x1b[31m\\u0007\\u000a',
    );
  });

  it('keeps its meaning in a line of JSON', () => {
    const line = safeLine(JSON.stringify({ label: hostile }));
    expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(JSON.parse(line)).toEqual({ label: hostile });
  });
});

describe('output', () => {
  it('is JSON in a pipe, and for people on a terminal unless they ask for JSON', () => {
    expect(new Output({}, { isTTY: false }).isJson).toBe(true);
    expect(new Output({}, { isTTY: true }).isJson).toBe(false);
    expect(new Output({ json: true }, { isTTY: true }).isJson).toBe(true);
  });

  it('is coloured on a terminal only, and not with NO_COLOR', () => {
    expect(new Output({}, { isTTY: true }, true).paint).toBe(coloured);
    expect(new Output({}, { isTTY: true }, false).paint).toBe(plain);
    expect(new Output({}, { isTTY: false }, true).paint).toBe(plain);
  });
});

describe('the words', () => {
  it.each([
    [12, '12ms'],
    [3210, '3.2s'],
    [65_000, '1m 5s'],
    [3_600_000, '1h'],
    [93_784_000, '1d 2h'],
  ])('for a duration of %d ms are %s', (ms, words) => {
    expect(durationWords(ms)).toBe(words);
  });

  it('for a time say how far away it is', () => {
    expect(relativeTime(5000, 5400)).toBe('now');
    expect(relativeTime(1000, 60_999)).toBe('59s ago');
    expect(relativeTime(7_300_000, 0)).toBe('in 2h 1m');
    expect(relativeTime(3_600_000, 0)).toBe('in 1h');
  });

  it('for a size have a unit', () => {
    expect([512, 1536, 20 * 1024 * 1024].map(sizeWords)).toEqual(['512 B', '1.5 KiB', '20 MiB']);
  });

  it('for a state have a sign, so that they can be read without colours', () => {
    expect(shownState('RUN_FAILED', plain)).toBe('✗ failed');
    expect(shownState('something new', plain)).toBe('○ something new');
  });
});
