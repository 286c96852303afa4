import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { TallyHistogram } from '../../../src/engine/metrics/tallies.js';

const named = { name: 'seconds', help: 'Seconds.', buckets: [0.5, 1, 2.5] };

/** What exporters read of a registry, in one order. */
const fields = ['name', 'help', 'type', 'aggregator', 'values', 'metricName', 'labels', 'value'];
const labelNames = ['le', 'method', 'route'];
const read = async (registry: Registry) =>
  JSON.stringify(await registry.getMetricsAsJSON(), [...fields, ...labelNames]);

describe('a histogram of tallies', () => {
  it('is written and read as that of the library', async () => {
    const value = fc.oneof(
      fc.double({ min: 0, max: 5, noNaN: true }),
      fc.constantFrom(0.5, 1, 2.5),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(value), fc.array(value, { minLength: 1 }), async (bare, routed) => {
        const [own, others] = [new Registry(), new Registry()];
        const tally = new TallyHistogram(own, named).tally();
        const ofRoute = { ...named, name: 'route_seconds', labelNames: ['method', 'route'] };
        const labels = { method: 'POST', route: '/v2/batch' };
        const routeTally = new TallyHistogram(own, ofRoute).tally(labels);
        const histogram = new Histogram({ ...named, registers: [others] });
        const routeHistogram = new Histogram({ ...ofRoute, registers: [others] });
        for (const each of bare) {
          tally.observe(each);
          histogram.observe(each);
        }
        for (const each of routed) {
          routeTally.observe(each);
          routeHistogram.observe(labels, each);
        }
        expect(await own.metrics()).toBe(await others.metrics());
        expect(await read(own)).toBe(await read(others));
      }),
    );
  });
});
