import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { SeriesHistogram } from '../../../src/engine/metrics/series-histogram.js';

const buckets = [0.0005, 0.25, 1, 5];
const routes = ['/a', '/b'];

test("exports what prom-client's own exports, of the same values", async () => {
  const value = fc.oneof(fc.double({ min: 0, max: 9, noNaN: true }), fc.constantFrom(...buckets));
  const observed = fc.array(fc.tuple(fc.constantFrom(...routes), value));
  await fc.assert(
    fc.asyncProperty(observed, async (values) => {
      const options = { name: 'seconds', help: 'Of it.', labelNames: ['method', 'route'], buckets };
      const [own, other] = [new Registry(), new Registry()];
      const ours = new SeriesHistogram({ ...options, registers: [own] });
      const theirs = new Histogram({ ...options, registers: [other] });
      const series = new Map(routes.map((route) => [route, ours.with({ method: 'GET', route })]));
      for (const route of routes) theirs.zero({ method: 'GET', route });
      for (const [route, each] of values) {
        series.get(route)?.observe(each);
        theirs.observe({ method: 'GET', route }, each);
      }
      expect(await own.metrics()).toBe(await other.metrics());
    }),
    { numRuns: 50 },
  );
});

test('one without labels is there before its first value', async () => {
  const registry = new Registry();
  const options = { name: 'records', help: 'Of it.', buckets, registers: [registry] };
  new SeriesHistogram(options).with({}).observe(0.3);
  const text = await registry.metrics();
  expect(text).toContain('records_bucket{le="0.25"} 0\nrecords_bucket{le="1"} 1\n');
  expect(text).toContain('records_sum 0.3\nrecords_count 1\n');
});
