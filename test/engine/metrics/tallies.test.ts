import { Registry } from 'prom-client';
import { tallyCounter } from '../../../src/engine/metrics/tallies.js';

describe('a counter of tallies', () => {
  it('shows at each scrape what was counted until then, and no series before', async () => {
    const registry = new Registry();
    const counter = tallyCounter(registry, { name: 'ends', help: 'Ends.', labelNames: ['how'] });
    const [well, badly] = [counter.tally({ how: 'well' }), counter.tally({ how: 'badly' })];
    const shown = async () => {
      const text = await registry.getSingleMetricAsString('ends');
      return text.split('\n').filter((line) => line.startsWith('ends{'));
    };
    expect(await shown()).toEqual([]);
    well.count();
    well.count(2);
    expect(await shown()).toEqual(['ends{how="well"} 3']);
    badly.count();
    well.count();
    expect(await shown()).toEqual(['ends{how="well"} 4', 'ends{how="badly"} 1']);
    expect(await shown()).toEqual(['ends{how="well"} 4', 'ends{how="badly"} 1']);
  });
});
