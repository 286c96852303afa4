import fc from 'fast-check';
import { parseIsoTime } from '../../src/grammar/iso-time.js';

function read(text: string): number | undefined {
  const time = parseIsoTime(text);
  return time.ok ? time.value : undefined;
}

/** The years that four digits can express. */
const days = fc.date({
  min: new Date('0000-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

/** A zone as it is written, and how many minutes it is ahead of UTC. */
const zones = fc
  .tuple(fc.constantFrom('+', '-'), fc.nat(23), fc.nat(59), fc.constantFrom(':', ''))
  .map(([sign, hours, minutes, between]) => ({
    text: `${sign}${two(hours)}${between}${two(minutes)}`,
    ahead: (sign === '-' ? -1 : 1) * (hours * 60 + minutes),
  }));

const two = (number: number) => String(number).padStart(2, '0');

describe('a time of ISO 8601', () => {
  it.each([
    ['2027-01-31', Date.UTC(2027, 0, 31)],
    ['2028-02-29', Date.UTC(2028, 1, 29)],
    ['2027-01-31T08:00Z', Date.UTC(2027, 0, 31, 8)],
    ['2027-01-31T08:00:09Z', Date.UTC(2027, 0, 31, 8, 0, 9)],
    ['2027-01-31T08:00:09.5Z', Date.UTC(2027, 0, 31, 8, 0, 9, 500)],
    ['2027-01-31T08:00:09.123456789Z', Date.UTC(2027, 0, 31, 8, 0, 9, 123)],
    ['2027-01-31T08:00+01:00', Date.UTC(2027, 0, 31, 7)],
    ['2027-01-31T08:00-0530', Date.UTC(2027, 0, 31, 13, 30)],
  ])('%s is %d', (text, milliseconds) => {
    expect(read(text)).toBe(milliseconds);
  });

  it.each([
    '',
    '5',
    '-5',
    '-7',
    '40',
    '2027',
    '2027-01',
    'offset 3',
    'yesterday',
    'Jan 31 2027',
    '31 January 2027 08:00 UTC',
    '1795432750758',
    '2027-1-31',
    '2027-02-29',
    '2027-04-31',
    '2027-13-01',
    '2027-00-10',
    '2027-01-00',
    '2027-01-31T',
    '2027-01-31Z',
    '2027-01-31T08Z',
    '2027-01-31T08:00',
    '2027-01-31 08:00Z',
    '2027-01-31t08:00z',
    '2027-01-31T24:00Z',
    '2027-01-31T08:60Z',
    '2027-01-31T08:00:60Z',
    '2027-01-31T08:00:00.Z',
    '2027-01-31T08:00+24:00',
    '2027-01-31T08:00+1:00',
    '2027-01-31T08:00+01',
    '+002027-01-31',
    ' 2027-01-31',
    '2027-01-31\n',
    '２027-01-31',
  ])('refuses %j', (text) => {
    expect(read(text)).toBeUndefined();
  });

  it('is read as it was written, in every zone', () => {
    fc.assert(
      fc.property(days, zones, (at, { text, ahead }) => {
        const written = at.toISOString();
        expect(read(written)).toBe(at.getTime());
        expect(read(written.slice(0, 10))).toBe(Date.parse(written.slice(0, 10)));
        expect(read(written.replace('Z', text))).toBe(at.getTime() - ahead * 60_000);
      }),
    );
  });

  it('has no other form, whatever is inserted or removed', () => {
    const strict = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d))?$/;
    const pieces = fc.constantFrom('', ' ', '-', '+', ':', '.', '0', '7', 'T', 'Z', 'GMT', 'a');
    fc.assert(
      fc.property(days, fc.nat(24), fc.nat(3), pieces, (at, place, taken, put) => {
        const written = at.toISOString();
        const text = `${written.slice(0, place)}${put}${written.slice(place + taken)}`;
        const time = parseIsoTime(text);
        if (time.ok) expect(text).toMatch(strict);
        else expect(time.message).not.toBe('');
      }),
    );
  });
});
