import { momentIn } from '../../../src/console/web/past/as-of.ts';

it('a moment can be given in Unix milliseconds', () => {
  expect(momentIn('1790000000000')).toBe(1_790_000_000_000);
});

it.each([undefined, '', '1e300', '-5', '1.5', '0x10', ' 7', '9999999999999999', 'now'])(
  'the text %j is no moment',
  (asOf) => {
    expect(momentIn(asOf)).toBeNull();
  },
);
